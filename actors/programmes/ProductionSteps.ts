import { Clock, Effect, Result } from "effect"
import { RpcClient } from "effect/rpc"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { productionAheadHours, productionLookSec, slotsAheadDays } from "../../engine/rules/programmes/limits.ts"
import { Writer } from "../../engine/ports/Writer.ts"
import { precheck } from "../../engine/rules/moderation/Precheck.ts"
import {
  beginAssembly,
  cancelProduction,
  failProduction,
  followPlan,
  hasScript,
  isOver,
  moveToLastRun,
  moveToNextRun,
  planOriginOf,
  addPlan,
  progressOf,
  runOf,
  awaitScripts,
  awaitPlan,
  addScripts
} from "../../engine/rules/programmes/Production.ts"
import { scriptFaults, findTooLong, wordsFor } from "../../engine/rules/programmes/ProductionOutline.ts"
import { displayText, tidyScript } from "../../engine/rules/segments/Script.ts"
import { hourMs } from "../../schema/time/Units.ts"
import { Agents } from "../../engine/store/agents/Agents.ts"
import { Plans } from "../../engine/store/programmes/Plans.ts"
import { Productions, ProductionsWriter } from "../../engine/store/programmes/Productions.ts"
import { Segments } from "../../engine/store/segments/Segments.ts"
import { Shows } from "../../engine/store/programmes/Shows.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { Broadcaster } from "../../schema/segments/Submission.ts"
import type { PlanDraft, PlanItemDraft, PlanRecord } from "../../schema/programmes/Plan.ts"
import { Busy, ProductionStateConflict } from "../../schema/Problems.ts"
import type { ProductionAsk, ProductionRecord, ProductionStepName } from "../../schema/programmes/Production.ts"
import { Producer } from "./protocol/Producer.ts"
import { excerptHash } from "../moderation/excerptHash.ts"
import { emit } from "../runtime/emit.ts"
import { addJob } from "../runtime/Jobs.ts"
import { commandHeaders } from "../runtime/protocol.ts"
import { WorkProduction } from "./protocol/Jobs.ts"

/** Schedules the next step of a production, in the caller's transaction. */
export const lookAt = ({ agentId, id }: ProductionRecord, runAtMs: number) =>
  addJob(WorkProduction, { key: id, payload: { productionId: id, agentId }, runAtMs })
/** Saves a production with its event and its next step. Null when it was changed since it was read. */
export const saveStep = Effect.fnUntraced(function* (production: ProductionRecord, wakesAtMs: number | null) {
  const productions = yield* ProductionsWriter
  return yield* (yield* Transaction).run(
    Effect.gen(function* () {
      const before = yield* productions.find(production.id)
      const saved = yield* productions.save(production, yield* Clock.currentTimeMillis)
      if (saved !== null && wakesAtMs !== null) yield* lookAt(saved, wakesAtMs)
      if (
        saved !== null &&
        before !== null &&
        (before.status !== saved.status || progressOf(before) !== progressOf(saved) || before.current !== saved.current)
      ) {
        yield* emit({
          _tag: "ProductionUpdated",
          productionId: saved.id,
          agentId: saved.agentId,
          title: saved.title,
          status: saved.status,
          progress: progressOf(saved)
        })
      }
      return saved
    })
  )
})
const itemOf = (of: Partial<PlanItemDraft> & Pick<PlanItemDraft, "kind">): PlanItemDraft => ({
  id: null,
  trackId: null,
  segmentId: null,
  uploadId: null,
  scriptText: null,
  title: null,
  durationSec: null,
  transition: "segue",
  locked: false,
  ...of
})
/** Plan items of the parts in order, followed by the recordings. */
const itemsOf = ({ parts, uploadIds }: Pick<ProductionRecord, "parts" | "uploadIds">): ReadonlyArray<PlanItemDraft> => [
  ...parts.flatMap(({ scriptText, title }) =>
    scriptText === null ? [] : [itemOf({ kind: "talk", title, scriptText })]
  ),
  ...uploadIds.map((uploadId) => itemOf({ kind: "upload", uploadId }))
]
/** Draft of the plan. A show's own block is used unless a time is given. */
const draftOf = Effect.fnUntraced(function* (
  {
    audience,
    format,
    parts,
    showId,
    title,
    uploadIds
  }: Pick<ProductionRecord, "audience" | "format" | "parts" | "showId" | "title" | "uploadIds">,
  startMs: number | null
) {
  const show = showId === null ? null : yield* (yield* Shows).findById(showId)
  const draft: PlanDraft = {
    title,
    description: null,
    format: format ?? show?.format ?? null,
    audience: audience ?? show?.audience ?? null,
    blockId: startMs === null ? (show?.blockId ?? null) : null,
    occurrenceStartMs: startMs,
    items: itemsOf({ parts, uploadIds }),
    agentShowId: showId,
    stationSlug: null,
    stationId: null
  }
  return draft
})
/** The producer is busy or moving to another process. */
const failAsBusy = () =>
  Effect.fail(new Busy({ detail: "Nothing was changed. Send the same request again in a moment.", retryAfterSec: 2 }))
/** Dry run of the booking, so that an impossible request fails at once. */
export const isBookable = Effect.fnUntraced(function* (by: Broadcaster, ask: ProductionAsk, startMs: number | null) {
  const draft = yield* draftOf({ ...ask, showId: ask.agentShowId }, startMs)
  const producer = (yield* Producer.client)(by.agentId)
  yield* producer.Book({ by, draft, origin: null, orchestrate: "draft" }).pipe(
    RpcClient.withHeaders(commandHeaders({ dryRun: true })),
    Effect.catchTags({
      TitleRequired: Effect.die,
      StationNotFound: Effect.die,
      AlreadyProcessingMessage: Effect.die,
      MailboxFull: failAsBusy,
      PersistenceError: failAsBusy,
      EntityNotAssignedToRunner: failAsBusy
    })
  )
})
/** The plan of the current run, including one booked but not yet recorded. */
export const planOf = Effect.fnUntraced(function* (production: ProductionRecord) {
  const plans = yield* Plans
  const { planId } = runOf(production)
  return planId === null
    ? yield* plans.findByOrigin(production.agentId, planOriginOf(production))
    : yield* plans.find(planId)
})
/** Cancels the plan of a skipped run. */
export const dropPlan = Effect.fnUntraced(function* (production: ProductionRecord) {
  const plan = yield* planOf(production)
  if (plan === null || plan.status === "cancelled" || plan.status === "rejected") return
  const producer = (yield* Producer.client)(production.agentId)
  yield* producer.CancelPlan({ planId: plan.id, by: production.by }).pipe(
    Effect.mapError(
      (error) =>
        new ProductionStateConflict({
          detail:
            "detail" in error && typeof error.detail === "string"
              ? error.detail
              : "Its plan can't be cancelled now. Try again."
        })
    )
  )
})
/** Failure of a step; null `error` means it is retried later. */
class Stopped {
  readonly at: ProductionStepName
  readonly error: string | null
  constructor(at: ProductionStepName, error: string | null) {
    this.at = at
    this.error = error
  }
}
/** A refusal by an actor stops the production; an undelivered message is retried. */
const stopOnRefusal =
  (at: ProductionStepName) =>
  <A, E, R>(message: Effect.Effect<A, E, R>): Effect.Effect<A, Stopped, R> =>
    Effect.mapError(message, (error) => {
      const { code, detail } = error as { readonly code?: unknown; readonly detail?: unknown }
      return new Stopped(at, typeof code === "string" ? `${code}: ${String(detail)}` : null)
    })
/** Scripts by the writer. Generated text is checked like an agent's own. */
const wordsOf = Effect.fnUntraced(function* (production: ProductionRecord) {
  const writer = yield* Writer
  const { audience, format, idea, parts, title } = production
  const agent = yield* (yield* Agents).find(production.agentId)
  const written = yield* Effect.result(
    writer.write({
      title,
      format,
      audience,
      idea: idea ?? title,
      speaker: {
        name: agent?.persona.displayName ?? production.by.displayName,
        style: agent?.persona.speakingStyle ?? null
      },
      parts: parts.map((part) => ({ title: part.title, words: wordsFor(part.minutes) ?? 150 }))
    })
  )
  if (Result.isFailure(written))
    return written.failure.again
      ? yield* Effect.fail(new Stopped("script", null))
      : awaitScripts(production, `${written.failure.detail} Write the scripts yourself.`)
  const scripts = written.success.map((script) => displayText(tidyScript(script)))
  const faults = scriptFaults(scripts.map((script, i) => ({ pointer: `/outline/${i}`, script })))
  const { flags } = precheck(scripts.join("\n"), excerptHash)
  const why =
    scripts.length !== parts.length || findTooLong(scripts) !== null
      ? "a part of the wrong length"
      : faults[0] !== undefined
        ? faults[0].code
        : flags[0] !== undefined
          ? `a text that is not allowed (${flags[0].code})`
          : null
  return why === null
    ? addCheckedScripts(production, scripts)
    : awaitScripts(production, `The writer returned ${why}. Write the scripts yourself.`)
})
const addCheckedScripts = (production: ProductionRecord, scripts: ReadonlyArray<string>) =>
  addScripts(
    production,
    production.parts.map((part, i) => ({ ...part, scriptText: scripts[i]! }))
  )
/** Books the run of the production. */
const bookRun = Effect.fnUntraced(function* (production: ProductionRecord) {
  const producer = (yield* Producer.client)(production.agentId)
  const draft = yield* draftOf(production, runOf(production).startMs)
  const {
    booked: { plan }
  } = yield* producer
    .Book({ by: production.by, draft, origin: planOriginOf(production), orchestrate: "draft" })
    .pipe(stopOnRefusal("plan"))
  return addPlan(production, {
    id: plan.id,
    startMs: Date.parse(plan.occurrenceStart),
    endMs: Date.parse(plan.occurrenceEnd)
  })
})
/** Submits the draft. Every step may be repeated; a submitted plan is left alone. */
const submitDraft = Effect.fnUntraced(function* (production: ProductionRecord, plan: PlanRecord) {
  if (plan.status !== "draft" && plan.status !== "rejected") return
  const producer = (yield* Producer.client)(production.agentId)
  const on = { planId: plan.id, by: production.by }
  yield* producer.RevisePlan({ ...on, change: { items: [...itemsOf(production)] } }).pipe(stopOnRefusal("plan"))
  if (production.includeMusic) yield* producer.FillMusic(on).pipe(stopOnRefusal("music"))
  yield* producer.Submit(on).pipe(stopOnRefusal("review"))
})
const voicesOf = Effect.fnUntraced(function* ({ items }: PlanRecord) {
  const segments = yield* Segments
  const segmentIds = items.flatMap(({ kind, segmentId }) =>
    (kind === "talk" || kind === "upload") && segmentId !== null ? [segmentId] : []
  )
  const found = yield* Effect.forEach(segmentIds, (id) => segments.find(id))
  return { segmentIds, voiced: found.filter((segment) => segment?.audioStatus === "ready").length }
})
interface Reached {
  readonly production: ProductionRecord
  /** Time of the next step; null while it waits for its agent. */
  readonly wakesAtMs: number | null
}
/** Updates the production from its plan. */
const updateFromPlan = Effect.fnUntraced(function* (production: ProductionRecord, plan: PlanRecord, nowMs: number) {
  const after = followPlan(
    runOf(production).planId === null ? addPlan(production, plan) : production,
    plan,
    yield* voicesOf(plan)
  )
  const { endMs, status } = runOf(after)
  return {
    production: after,
    wakesAtMs: status === "waiting" ? nowMs + productionLookSec * 1_000 : status === "failed" ? endMs : nowMs
  }
})
const step = Effect.fnUntraced(function* (production: ProductionRecord) {
  const { planLeadMin } = yield* StationConfig
  const writer = yield* Writer
  const nowMs = yield* Clock.currentTimeMillis
  const { startMs, status } = runOf(production)
  const reach = (reached: ProductionRecord, wakesAtMs: number | null): Reached => ({ production: reached, wakesAtMs })
  const agent = yield* (yield* Agents).find(production.agentId)
  if (agent === null || agent.deletedAtMs !== null)
    return reach(cancelProduction(moveToLastRun(production), "AGENT_LEFT"), null)
  if (status !== "waiting") return reach(moveToNextRun(production, writer.model !== null), nowMs)
  const plan = yield* planOf(production)
  // The run lies beyond the bookable days.
  const bookableMs = startMs === null ? 0 : startMs - (slotsAheadDays - 1) * 24 * hourMs
  if (plan === null && nowMs < bookableMs) return reach(awaitPlan(production), bookableMs)
  if (plan === null && (startMs !== null || hasScript(production))) return reach(yield* bookRun(production), nowMs)
  if (plan !== null && plan.status !== "draft") return yield* updateFromPlan(production, plan, nowMs)
  if (!hasScript(production)) {
    if (production.status !== "needs_script" && production.idea !== null && writer.model !== null)
      return reach(yield* wordsOf(production), nowMs)
    // Keep watching the plan: its run may pass before the scripts arrive.
    return reach(awaitScripts(production, production.error), plan === null ? null : nowMs + productionLookSec * 1_000)
  }
  // Scripts of a recurring production may be changed until `productionAheadHours` before the submission deadline.
  const dueMs =
    production.recurring === null || startMs === null
      ? 0
      : startMs - planLeadMin * 60_000 - productionAheadHours * hourMs
  if (nowMs < dueMs) return reach(awaitPlan(production), dueMs)
  if (production.status !== "assembling") return reach(beginAssembly(production), nowMs)
  yield* submitDraft(production, plan!)
  return yield* updateFromPlan(production, (yield* planOf(production))!, nowMs)
})
/** Runs the next step and schedules the one after. Every step may be repeated. */
export const work = Effect.fnUntraced(function* (id: string, tired: boolean) {
  const production = yield* (yield* Productions).find(id)
  if (production === null || isOver(production)) return
  const nowMs = yield* Clock.currentTimeMillis
  // A failed production can be retried until its run is over.
  const restsUntilMs = production.status === "failed" ? runOf(production).endMs : null
  if (restsUntilMs !== null && nowMs < restsUntilMs) return yield* lookAt(production, restsUntilMs)
  const stop = (at: ProductionStepName, error: string): Reached => ({
    production: failProduction(production, at, error),
    wakesAtMs: runOf(production).endMs
  })
  const reached: Reached = tired
    ? stop(hasScript(production) ? "plan" : "script", "The station could not continue the production.")
    : yield* Effect.catch(step(production), ({ at, error }) =>
        Effect.succeed<Reached>(
          error === null ? { production, wakesAtMs: nowMs + productionLookSec * 1_000 } : stop(at, error)
        )
      )
  const saved = yield* saveStep(reached.production, isOver(reached.production) ? null : reached.wakesAtMs)
  if (saved === null) yield* cancelLeftPlan(reached.production)
})
/** The agent skipped the run while it was planned: cancel the unrecorded plan. */
const cancelLeftPlan = Effect.fnUntraced(function* (production: ProductionRecord) {
  const now = yield* (yield* Productions).find(production.id)
  if (now !== null && now.current !== production.current) yield* Effect.ignore(dropPlan(production))
})
