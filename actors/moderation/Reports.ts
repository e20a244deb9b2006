import { Clock, Effect, Schema } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { Keys } from "../../engine/runtime/Keys.ts"
import {
  reportPurgeMinutes,
  reportsKeptDays,
  reportsOfCaseMax,
  reportsPerDay,
  reportsPerHour,
  reportTextCharsMax,
  reviewUndoMin
} from "../../engine/rules/moderation/limits.ts"
import { precheck } from "../../engine/rules/moderation/Precheck.ts"
import { isUrgentReport, outcomeLetter, reportCard, reportDueAtMs } from "../../engine/rules/moderation/Report.ts"
import { undecided } from "../../engine/rules/moderation/Review.ts"
import { ReportsWriter } from "../../engine/store/moderation/Reports.ts"
import { Reviews } from "../../engine/store/moderation/Reviews.ts"
import type { ReportId } from "../../schema/Ids.ts"
import type { ReportDraft, ReportReceipt } from "../../schema/moderation/Report.ts"
import { MissingFields, NotFound } from "../../schema/Problems.ts"
import { iso } from "../../schema/time/Instant.ts"
import { dayMs } from "../../schema/time/Units.ts"
import { mail } from "../operations/inTransaction.ts"
import { behaviours, command } from "../runtime/Command.ts"
import { actorLayer } from "../runtime/actorLayer.ts"
import { transient } from "../runtime/EntityKinds.ts"
import { addJob, backOff, jobHandler, purgeJob, repeatEvery, rescheduleAfter } from "../runtime/Jobs.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import { excerptHash } from "./excerptHash.ts"
import { Report, TellReporters } from "./protocol.ts"
import { reviewHandlers } from "./reviewHandlers.ts"
import { askForReview, makeReviewable } from "./Reviews.ts"

const Contact = Schema.fromJsonString(Schema.Struct({ name: Schema.NullOr(Schema.String), email: Schema.String }))

/** Takes a listener's report. Reports of one thing are one case with one review, however many they are. */
const file = Effect.fnUntraced(function* (audience: string, draft: ReportDraft) {
  const { email, name, reason, subject, words } = draft
  const reports = yield* ReportsWriter
  const keys = yield* Keys
  if (reason === "rights" && (email === null || name === null || words === null))
    return yield* new MissingFields({
      detail:
        "A rights complaint needs words about the work and your right to it, your name, and an address where the station can ask.",
      errors: Object.entries({ words, name, email }).flatMap(([field, said]) =>
        said === null ? [{ pointer: `/${field}`, code: "MISSING_FIELDS", detail: "is required" }] : []
      )
    })
  const found = yield* reports.findSubject(subject.type, subject.id)
  if (found === null)
    return yield* new NotFound({
      detail: `There is no ${subject.type} ${subject.id}. You can report what was on the air and what this station publishes.`
    })
  const id = (yield* (yield* IdSource).make("rpt")) as ReportId
  const nowMs = yield* Clock.currentTimeMillis
  const dueAtMs = reportDueAtMs(reason, nowMs)
  return yield* command({
    by: audience,
    allowances: [
      { name: "reports", perHour: reportsPerHour },
      { name: "reports_of_day", perDay: reportsPerDay }
    ],
    meter: "listener",
    run: Effect.gen(function* () {
      const open = yield* reports.lockCase(subject.type, subject.id)
      const caseId = open ?? id
      yield* reports.add({
        id,
        caseId,
        subjectType: subject.type,
        subjectId: subject.id,
        title: found.title,
        reason,
        words,
        contactSealed: email === null ? null : keys.seal(Schema.encodeSync(Contact)({ email, name }), id),
        createdAtMs: nowMs
      })
      const card = {
        ...reportCard(
          { ...subject, title: found.title },
          yield* reports.listOfCase(caseId, reportsOfCaseMax),
          reportTextCharsMax
        ),
        flags: words === null ? [] : precheck(words, excerptHash).flags
      }
      const escalated = isUrgentReport(reason)
      if (open === null)
        yield* askForReview({
          kind: "report",
          type: "report",
          id: caseId,
          agentId: null,
          dueAtMs,
          status: escalated ? "escalated" : "open",
          ...card
        })
      else yield* (yield* Reviews).revise("report", caseId, { ...card, escalated })
    }),
    view: (): ReportReceipt => ({
      id,
      reason,
      subject: { ...subject, title: found.title },
      dueAt: iso(dueAtMs),
      outcomeMailed: email !== null,
      createdAt: iso(nowMs)
    })
  })
})

/** A listener's reports, for the actor of that listener. */
export const audienceReports = (audience: string) => ({
  Report: ({ payload }: { readonly payload: { readonly draft: ReportDraft } }) => file(audience, payload.draft)
})

/** Reviews of reports. A decision takes nothing down: the operator does that by its own operation. */
export const reportReview = makeReviewable({
  type: "report",
  entity: Report,
  key: "subject",
  find: (id: string) => Effect.flatMap(ReportsWriter, (reports) => reports.find(id)),
  apply: Effect.fnUntraced(function* ({ caseId }, { atMs, status }) {
    const isDecided = !undecided.includes(status)
    if (isDecided) {
      yield* (yield* ReportsWriter).close(caseId, atMs)
      // Until the decision can no longer be undone.
      yield* addJob(TellReporters, {
        key: `${caseId}/${atMs}`,
        payload: { caseId },
        runAtMs: atMs + reviewUndoMin * 60_000
      })
    }
    return { before: { report: "open" }, after: { report: status } }
  }),
  restore: Effect.fnUntraced(function* ({ caseId }) {
    yield* (yield* ReportsWriter).close(caseId, null)
    return { report: "open" }
  })
})

/** One case. Decisions on it come one after the other. */
export const ReportLive = actorLayer(
  Report,
  Effect.map(behaviours(Report, reviewHandlers([reportReview])), (all) => Report.of(all)),
  transient
)

/** Mails the outcome of a case to those who left an address, and erases the addresses. */
const tellReporters = jobHandler(TellReporters, {
  restMs: backOff(15_000, 3_600_000),
  work: Effect.fnUntraced(function* ({ caseId }) {
    const reports = yield* ReportsWriter
    const review = yield* (yield* Reviews).findLastOf("report", caseId, "report")
    // After an undo, the next decision has a job of its own.
    if (review === null || undecided.includes(review.status)) return
    const { publicUrl, stationName: name } = yield* StationConfig
    const waiting = yield* reports.listUntold(caseId, reportsOfCaseMax)
    for (const record of waiting) {
      const { email } = yield* Schema.decodeUnknownEffect(Contact)((yield* Keys).open(record.contactSealed!, record.id))
      const letter = outcomeLetter(
        review,
        { type: record.subjectType, title: record.title, createdAtMs: record.createdAtMs, reason: record.reason },
        { name, publicUrl }
      )
      yield* (yield* Transaction).run(
        Effect.gen(function* () {
          if (letter !== null)
            // An address at its daily limit of mails gets no more, and is erased as the others.
            yield* Effect.catchTag(
              mail({ kind: "report_outcome", to: email, ...letter }),
              "RateLimited",
              () => Effect.void
            )
          yield* reports.markTold(record.id, yield* Clock.currentTimeMillis)
        })
      )
    }
    return waiting.length < reportsOfCaseMax ? undefined : yield* rescheduleAfter(1_000)
  })
})

export const reportJobs = [
  tellReporters,
  purgeJob("moderation.purge_reports", {
    next: repeatEvery(reportPurgeMinutes * 60_000),
    batch: (nowMs) => Effect.flatMap(ReportsWriter, (reports) => reports.purge(nowMs - reportsKeptDays * dayMs))
  })
] as const
