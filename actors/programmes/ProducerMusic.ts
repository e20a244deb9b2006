import { Clock, Effect } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { playsRememberedMax, rotationCandidatesMax, rundownAheadSec } from "../../engine/rules/air/limits.ts"
import { planFillToleranceSec, planItemsMax } from "../../engine/rules/programmes/limits.ts"
import { weekFrom } from "../../engine/rules/time/WeekSchedule.ts"
import { fillMusic, musicOf, separationMaxMs } from "../../engine/rules/programmes/PlanMusic.ts"
import { playOf } from "../../engine/rules/air/Planner.ts"
import { defaultRotation } from "../../engine/rules/air/Rotation.ts"
import { AsRun } from "../../engine/store/air/AsRun.ts"
import { WeekSchedules } from "../../engine/store/programmes/WeekSchedules.ts"
import { PlanStocks } from "../../engine/store/programmes/PlanStocks.ts"
import { Plans, PlansWriter } from "../../engine/store/programmes/Plans.ts"
import { Rundowns } from "../../engine/store/air/Rundowns.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import { Tracks } from "../../engine/store/music/Tracks.ts"
import type { AgentId, ItemId, PlanId } from "../../schema/Ids.ts"
import { EventBus } from "../runtime/EventBus.ts"
import { measure, notEditable, findOwnPlan, type PlanCommand, render } from "./ProducerPlans.ts"
import { command } from "../runtime/Command.ts"
import { activeAgent } from "../agents/activeAgent.ts"
import type { PlanRecord } from "../../schema/programmes/Plan.ts"

/** The plan's block at its start. */
export const blockOf = Effect.fnUntraced(function* (plan: Pick<PlanRecord, "blockId" | "startMs">) {
  const week = weekFrom(yield* (yield* WeekSchedules).from(plan.startMs), plan.startMs)
  return week.flatMap(({ blocks }) => blocks).find(({ id }) => id === plan.blockId) ?? null
})
/** Plays near a run: logged, in the rundown, and in other plans. */
const listNearbyPlays = Effect.fnUntraced(function* ({ endMs, id, startMs }: PlanRecord, nowMs: number) {
  const [fromMs, toMs] = [startMs - separationMaxMs, endMs + separationMaxMs]
  const stationId = yield* (yield* EventBus).get("stationId")
  const isSoon = stationId !== null && fromMs < nowMs + rundownAheadSec * 1_000
  const heard = isSoon ? yield* (yield* AsRun).listPlays(stationId, playsRememberedMax) : []
  const rundown = isSoon ? yield* (yield* Rundowns).load(stationId) : null
  const stocks = yield* PlanStocks
  const others = (yield* (yield* Plans).listAround(fromMs, toMs)).filter((plan) => plan.id !== id)
  const planned = yield* Effect.forEach(others, (plan) =>
    Effect.map(stocks.find(plan.agentId, plan.items), (stock) => musicOf(plan, stock))
  )
  return [
    ...heard,
    ...[rundown?.onAir ?? null, ...(rundown?.items ?? [])].flatMap((item) => (item === null ? [] : [playOf(item)])),
    ...planned.flat()
  ].filter(({ atMs }) => atMs > fromMs && atMs < toMs)
})
/** Fills a plan with music up to its length. A repeat replaces the station's earlier picks. Null when the plan changed meanwhile. */
const fill = Effect.fnUntraced(function* (plan: PlanRecord) {
  const ids = yield* IdSource
  const nowMs = yield* Clock.currentTimeMillis
  const classes = Object.keys(defaultRotation(0).shares)
  const candidates = yield* (yield* Tracks).listRested(classes, rotationCandidatesMax * 2, nowMs)
  const stock = yield* (yield* PlanStocks).find(plan.agentId, plan.items)
  const newIds = yield* Effect.forEach(
    Array.from({ length: planItemsMax }),
    () => ids.make("itm") as Effect.Effect<ItemId>
  )
  const genres = (yield* blockOf(plan))?.genres ?? []
  const { added, gapSec, items } = fillMusic({
    planId: plan.id,
    startMs: plan.startMs,
    targetDurationSec: plan.targetDurationSec,
    items: plan.items,
    stock,
    candidates,
    plays: yield* listNearbyPlays(plan, nowMs),
    genres,
    newIds
  })
  // The library is too small for it, as on a new station: the house composes what is missing.
  const composes = (yield* StationConfig).houseProgramme === "on" && gapSec > planFillToleranceSec
  const after = yield* (yield* PlansWriter).move(plan.id, {
    from: [plan.status],
    to: plan.status,
    reason: plan.statusReason,
    atMs: nowMs,
    patch: { ...(yield* measure(plan, items)), musicToComeSec: composes ? gapSec : 0 }
  })
  return after === null ? null : { plan: after, added, gapSec, genres }
})
/** Fills a draft. */
export const fillDraft = Effect.fnUntraced(function* (plan: PlanRecord) {
  const done = plan.status === "draft" ? yield* fill(plan) : null
  return done ?? (yield* notEditable(plan))
})
/**
 * Fills a handed-in plan with what the house has composed for it so far. Answers what is still missing and the genres of its block; null when
 * nothing is, or when it is about to begin.
 */
export const fillAhead = Effect.fnUntraced(function* (agentId: AgentId, planId: PlanId) {
  for (;;) {
    const plan = yield* (yield* Plans).find(planId)
    const nowMs = yield* Clock.currentTimeMillis
    if (
      plan?.agentId !== agentId ||
      (plan.status !== "submitted" && plan.status !== "approved") ||
      plan.musicToComeSec === 0 ||
      plan.startMs < nowMs + rundownAheadSec * 1_000
    )
      return null
    const done = yield* (yield* Transaction).run(fill(plan))
    // Nothing was filled if it was decided on meanwhile: it is filled in its new state.
    if (done !== null) return done.plan.musicToComeSec === 0 ? null : { gapSec: done.gapSec, genres: done.genres }
  }
})
export const fillPlan = Effect.fnUntraced(function* ({ by: { agentId }, planId }: PlanCommand) {
  const plan = yield* findOwnPlan(planId, agentId)
  yield* activeAgent(agentId)
  return yield* command({
    run: Effect.gen(function* () {
      const { added, gapSec, plan: after } = yield* fillDraft(plan)
      return { plan: yield* render(after), added, gapSec }
    })
  })
})
