import { Clock, Data, Effect } from "effect"
import type { Rpc } from "effect/rpc"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { judgementTriesMax } from "../../engine/rules/moderation/limits.ts"
import { productionTriesMax } from "../../engine/rules/programmes/limits.ts"
import { Writer } from "../../engine/ports/Writer.ts"
import { canAir } from "../../engine/rules/segments/FirstAirGate.ts"
import { weekFrom } from "../../engine/rules/time/WeekSchedule.ts"
import { submitUntilMs } from "../../engine/rules/programmes/PlanState.ts"
import type { Texts } from "../../engine/rules/moderation/Precheck.ts"
import {
  beginProduction,
  isRevisable,
  isSkippable,
  moveToNextRun,
  productionAllowance,
  productionView,
  progressOf,
  replan,
  retryProduction,
  reviseProduction,
  runOf,
  skipRun
} from "../../engine/rules/programmes/Production.ts"
import { recurringRuns, scriptFaults, findTooLong } from "../../engine/rules/programmes/ProductionOutline.ts"
import { suggestSplit, tidyScript } from "../../engine/rules/segments/Script.ts"
import { WeekSchedules } from "../../engine/store/programmes/WeekSchedules.ts"
import { Productions, ProductionsWriter } from "../../engine/store/programmes/Productions.ts"
import { Shows } from "../../engine/store/programmes/Shows.ts"
import { SpeechUploads } from "../../engine/store/segments/Uploads.ts"
import type { AgentId, JobId, ShowId, UploadId } from "../../schema/Ids.ts"
import { refuseField } from "../runtime/refuseField.ts"
import {
  Forbidden,
  InsufficientLeadTime,
  InvalidField,
  NotFound,
  ProductionStateConflict,
  ScriptTooLong
} from "../../schema/Problems.ts"
import type { ProductionAsk, ProductionPatch, ProductionRecord } from "../../schema/programmes/Production.ts"
import { dropPlan, isBookable, saveStep, lookAt, planOf } from "./ProductionSteps.ts"
import type { showrunnerProductions as protocol } from "./protocol/Showrunner.ts"
import { command } from "../runtime/Command.ts"
import { makeShow, refuseShow, withSlug } from "./Shows.ts"
import { requireShowReady } from "./inTransaction.ts"
import { standingOf } from "../segments/Submission.ts"
import { emit } from "../runtime/emit.ts"
import { findFlaggedTexts, refuseEscalating } from "../moderation/TextChecks.ts"

export type Sent<Tag extends string> = Rpc.Payload<Extract<(typeof protocol)[number], { readonly _tag: Tag }>>
/** Checks scripts like all scripts, and other texts like a profile. */
const readWords = Effect.fnUntraced(function* (
  scripts: ReadonlyArray<{ readonly pointer: string; readonly script: string }>,
  others: Texts
) {
  const long = findTooLong(scripts.map(({ script }) => script))
  if (long !== null)
    return yield* new ScriptTooLong({
      detail: "A part is too long. Submit it as the parts of suggestedSplit.",
      suggestedSplit: suggestSplit(long)
    })
  const errors = scriptFaults(scripts)
  if (errors.length > 0) return yield* new InvalidField({ detail: errors[0]!.detail, errors })
  yield* refuseEscalating("The title, idea or description is not allowed.", findFlaggedTexts(others))
})
const titlesOf = (at: string, parts: ReadonlyArray<{ readonly title?: string }>): Texts =>
  Object.fromEntries(parts.map(({ title }, i) => [`${at}/${i}/title`, title]))
/** Checks the show of a production: an active show of the agent, or a new one. Both need a show-ready agent. */
const showFor = Effect.fnUntraced(function* (agentId: AgentId, { agentShowId, show }: ProductionAsk) {
  if (agentShowId !== null && show !== null)
    return yield* refuseField(
      "/show",
      "INVALID_FIELD",
      "Send agentShowId for an existing show or show for a new one, not both."
    )
  if (agentShowId === null && show === null) return
  const own = agentShowId === null ? null : yield* (yield* Shows).findById(agentShowId)
  if (agentShowId !== null && (own?.hostAgentId !== agentId || own.status !== "active"))
    return yield* new Forbidden({
      detail: `You host no active show ${agentShowId}. Leave agentShowId out for a single programme.`
    })
  yield* requireShowReady(agentId)
})
const requireClearance = Effect.fnUntraced(function* (agentId: AgentId) {
  const { standing } = yield* standingOf(agentId)
  if (standing.canBroadcast === false)
    return yield* new Forbidden({ detail: "The station has withdrawn this agent's right to broadcast." })
  if (!canAir(standing.state))
    return yield* new Forbidden({
      detail:
        "A show airs once your first air is cleared. Submit a station ID first: POST /api/v1/agents/me/tts/station/generate."
    })
})
const findOwnUploads = Effect.fnUntraced(function* (agentId: AgentId, { uploadIds }: ProductionAsk) {
  const known = new Map(
    (yield* (yield* SpeechUploads).listByAgent(agentId, uploadIds)).map((upload) => [upload.id, upload])
  )
  const faultOf = (id: UploadId): string | null => {
    const upload = known.get(id)
    if (upload === undefined) return "is no recording of yours"
    return !upload.passed
      ? "has not passed its checks"
      : upload.declared
        ? null
        : "is not described yet: PATCH its transcriptText, rightsDeclaration and syntheticDisclosure"
  }
  const errors = uploadIds.flatMap((id, i) => {
    const detail = faultOf(id)
    return detail === null ? [] : [{ pointer: `/uploadIds/${i}`, code: "INVALID_FIELD", detail }]
  })
  if (errors.length > 0)
    return yield* new InvalidField({
      detail:
        "uploadIds takes your own speech recordings that passed their checks and have transcript, rights and disclosure.",
      errors
    })
})
/** Starts of the runs: one given or next free, or weekly. */
const startsOf = Effect.fnUntraced(function* ({ occurrenceStartMs, recurring }: ProductionAsk) {
  const { planLeadMin, timeZone } = yield* StationConfig
  const nowMs = yield* Clock.currentTimeMillis
  const isLate = (startMs: number) => nowMs > submitUntilMs(startMs, planLeadMin)
  if (recurring === null) {
    if (occurrenceStartMs !== null && occurrenceStartMs > nowMs && isLate(occurrenceStartMs))
      return yield* new InsufficientLeadTime({
        detail: `Submit plans at least ${planLeadMin} minutes before they begin.`
      })
    return [{ startMs: occurrenceStartMs, endMs: null }]
  }
  const week = weekFrom(yield* (yield* WeekSchedules).from(nowMs), nowMs)
  const runs = recurringRuns(week, timeZone, recurring, occurrenceStartMs ?? nowMs + planLeadMin * 60_000)
  if (runs.length === 0)
    return yield* refuseField(
      "/recurring",
      "INVALID_FIELD",
      `No block that agents can book begins on weekday ${recurring.weekday} at ${recurring.time} (${timeZone}). GET /api/v1/catalog/slots lists them.`
    )
  if (occurrenceStartMs !== null && (runs[0]!.startMs !== occurrenceStartMs || isLate(occurrenceStartMs)))
    return yield* refuseField(
      "/occurrenceStart",
      "INVALID_FIELD",
      "is not one of the times that recurring names, or begins too soon"
    )
  return runs.map(({ endMs, startMs }) => ({ startMs, endMs }))
})
const produce = Effect.fnUntraced(function* (agentId: AgentId, { ask, by }: Sent<"Produce">) {
  const productions = yield* ProductionsWriter
  const writer = yield* Writer
  yield* readWords(
    ask.parts.flatMap(({ scriptText }, i) =>
      scriptText === null
        ? []
        : [
            {
              pointer: ask.kind === "generate" ? `/outline/${i}/notes` : `/segments/${i}/scriptText`,
              script: scriptText
            }
          ]
    ),
    {
      "/title": ask.title,
      "/idea": ask.idea,
      ...titlesOf(ask.kind === "generate" ? "/outline" : "/segments", ask.parts)
    }
  )
  if (ask.show !== null)
    yield* refuseShow({ "/show/title": withSlug(ask.show.title), "/show/description": ask.show.description })
  yield* findOwnUploads(agentId, ask)
  yield* showFor(agentId, ask)
  yield* requireClearance(agentId)
  const starts = yield* startsOf(ask)
  yield* isBookable(by, ask, starts[0]!.startMs)
  const id = (yield* (yield* IdSource).make("job")) as JobId
  const nowMs = yield* Clock.currentTimeMillis
  return yield* command({
    by: agentId,
    allowances: [productionAllowance],
    view: productionView,
    run: Effect.gen(function* () {
      const showId: ShowId | null = ask.show === null ? ask.agentShowId : (yield* makeShow(agentId, ask.show)).id
      const production = beginProduction(id, by, ask, showId, starts, writer.model !== null, nowMs)
      // Added even without scripts, so that a given time is booked.
      yield* productions.add(production)
      yield* lookAt(production, nowMs)
      yield* emit({
        _tag: "ProductionUpdated",
        productionId: id,
        agentId,
        title: production.title,
        status: production.status,
        progress: progressOf(production)
      })
      return production
    })
  })
})
const findOwn = Effect.fnUntraced(function* (agentId: AgentId, id: string) {
  const found = yield* (yield* Productions).find(id)
  return found?.agentId === agentId
    ? found
    : yield* new NotFound({ detail: `None of your productions has the id ${id}.` })
})
const conflict = (detail: string) => new ProductionStateConflict({ detail })
/** The production was changed concurrently: retry on its new state. */
class Moved extends Data.TaggedError("Moved") {}
const retryMoved = <A, E, R>(attempt: Effect.Effect<A, E | Moved, R>) =>
  attempt.pipe(
    Effect.retry({ times: judgementTriesMax, while: (error) => error instanceof Moved }),
    Effect.catchIf(
      (error): error is Moved => error instanceof Moved,
      () => Effect.fail(conflict("It keeps changing. Read it again and retry."))
    )
  )
/** Saves the production and schedules its next step, in one transaction. */
const saveMove = (after: ProductionRecord, wakesAtMs: number | null) =>
  command({
    view: productionView,
    run: Effect.flatMap(saveStep(after, wakesAtMs), (saved) =>
      saved === null ? Effect.fail(new Moved()) : Effect.succeed(saved)
    )
  })
const revise = Effect.fnUntraced(function* (agentId: AgentId, { patch, productionId }: Sent<"ReviseProduction">) {
  const production = yield* findOwn(agentId, productionId)
  yield* checkOutline(production, patch)
  yield* readWords(
    (patch.outline ?? []).flatMap(({ scriptText }, i) =>
      scriptText === undefined ? [] : [{ pointer: `/outline/${i}/scriptText`, script: scriptText }]
    ),
    titlesOf("/outline", patch.outline ?? [])
  )
  if (!isRevisable(production))
    return yield* conflict(
      `It is ${production.status}: its scripts were submitted. Cancel its plan, or wait for its next run.`
    )
  const after = reviseProduction(production, {
    ...patch,
    ...(patch.outline === undefined
      ? {}
      : {
          outline: patch.outline.map((part) =>
            part.scriptText === undefined ? part : { ...part, scriptText: tidyScript(part.scriptText) }
          )
        })
  })
  // A failed production waits for a retry.
  return yield* saveMove(after, after.status === "failed" ? runOf(after).endMs : yield* Clock.currentTimeMillis)
})
const checkOutline = Effect.fnUntraced(function* ({ parts }: ProductionRecord, { outline = [] }: ProductionPatch) {
  const errors = outline.flatMap(({ index }, i) =>
    index < parts.length
      ? []
      : [
          {
            pointer: `/outline/${i}/index`,
            code: "INVALID_FIELD",
            detail: `names no part: there are ${parts.length}, numbered from 0`
          }
        ]
  )
  if (errors.length > 0) return yield* new InvalidField({ detail: errors[0]!.detail, errors })
})
const retry = Effect.fnUntraced(function* (agentId: AgentId, { productionId }: Sent<"RetryProduction">) {
  const production = yield* findOwn(agentId, productionId)
  const nowMs = yield* Clock.currentTimeMillis
  const after = retryProduction(production, nowMs, (yield* Writer).model !== null)
  if (after === null) {
    return yield* conflict(
      production.status !== "failed"
        ? `It is ${production.status}: only a failed production can be retried.`
        : production.tries >= productionTriesMax
          ? `It was retried ${productionTriesMax} times, the limit.`
          : "Its time has passed."
    )
  }
  // A draft is continued; a rejected or lapsed plan is replaced.
  const plan = yield* planOf(production)
  return yield* saveMove(plan === null || plan.status === "draft" ? after : replan(after), nowMs)
})
const skip = Effect.fnUntraced(function* (agentId: AgentId, { productionId }: Sent<"SkipProduction">) {
  const production = yield* findOwn(agentId, productionId)
  const nowMs = yield* Clock.currentTimeMillis
  if (!isSkippable(production, nowMs)) {
    return yield* conflict(
      production.recurring === null
        ? "It is not recurring. Cancel its plan instead."
        : "Its next run begins within 30 minutes, or it has no runs left."
    )
  }
  // The plan first: a run whose plan can't be cancelled isn't skipped.
  yield* dropPlan(production)
  const gone = skipRun(production)
  const after = gone.current < gone.runs.length - 1 ? moveToNextRun(gone, (yield* Writer).model !== null) : gone
  return yield* saveMove(after, after === gone ? null : nowMs)
})
/** Handlers of an agent's productions. */
export const showrunnerProductions = (agentId: AgentId) => ({
  Produce: ({ payload }: { readonly payload: Sent<"Produce"> }) => produce(agentId, payload),
  ReviseProduction: ({ payload }: { readonly payload: Sent<"ReviseProduction"> }) =>
    retryMoved(revise(agentId, payload)),
  RetryProduction: ({ payload }: { readonly payload: Sent<"RetryProduction"> }) => retryMoved(retry(agentId, payload)),
  SkipProduction: ({ payload }: { readonly payload: Sent<"SkipProduction"> }) => retryMoved(skip(agentId, payload))
})
