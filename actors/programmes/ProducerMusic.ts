import { Clock, Effect } from "effect"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { playsRememberedMax, rotationCandidatesMax, rundownAheadSec } from "../../engine/rules/air/limits.ts"
import { planItemsMax } from "../../engine/rules/programmes/limits.ts"
import { weekFrom } from "../../engine/rules/time/WeekSchedule.ts"
import { fillMusic, musicOf, separationMaxMs } from "../../engine/rules/programmes/PlanMusic.ts"
import { playOf } from "../../engine/rules/air/Planner.ts"
import { defaultRotation } from "../../engine/rules/air/Rotation.ts"
import { AsRun } from "../../engine/store/air/AsRun.ts"
import { WeekSchedules } from "../../engine/store/programmes/WeekSchedules.ts"
import { PlanStocks } from "../../engine/store/programmes/PlanStocks.ts"
import { Plans, PlansWriter } from "../../engine/store/programmes/Plans.ts"
import { Rundowns } from "../../engine/store/air/Rundowns.ts"
import { Tracks } from "../../engine/store/music/Tracks.ts"
import type { ItemId } from "../../schema/Ids.ts"
import { EventBus } from "../runtime/EventBus.ts"
import { measured, notEditable, ownPlan, type PlanCommand, shown } from "./ProducerPlans.ts"
import { command } from "../runtime/Command.ts"
import { activeAgent } from "../agents/activeAgent.ts"
import type { PlanRecord } from "../../schema/programmes/Plan.ts"

/** The plan's block at its start. */
export const blockOf = Effect.fnUntraced(function* (plan: Pick<PlanRecord, "blockId" | "startMs">) {
  const week = weekFrom(yield* (yield* WeekSchedules).from(plan.startMs), plan.startMs)
  return week.flatMap(({ blocks }) => blocks).find(({ id }) => id === plan.blockId) ?? null
})
/** Plays near a run: logged, in the rundown, and in other plans. */
const nearby = Effect.fnUntraced(function* ({ endMs, id, startMs }: PlanRecord, nowMs: number) {
  const [fromMs, toMs] = [startMs - separationMaxMs, endMs + separationMaxMs]
  const stationId = yield* (yield* EventBus).get("stationId")
  const isSoon = stationId !== null && fromMs < nowMs + rundownAheadSec * 1_000
  const heard = isSoon ? yield* (yield* AsRun).plays(stationId, playsRememberedMax) : []
  const rundown = isSoon ? yield* (yield* Rundowns).load(stationId) : null
  const stocks = yield* PlanStocks
  const others = (yield* (yield* Plans).around(fromMs, toMs)).filter((plan) => plan.id !== id)
  const planned = yield* Effect.forEach(others, (plan) =>
    Effect.map(stocks.of(plan.agentId, plan.items), (stock) => musicOf(plan, stock))
  )
  return [
    ...heard,
    ...[rundown?.onAir ?? null, ...(rundown?.items ?? [])].flatMap((item) => (item === null ? [] : [playOf(item)])),
    ...planned.flat()
  ].filter(({ atMs }) => atMs > fromMs && atMs < toMs)
})
/** Fills a draft with music up to its length. A repeat replaces the station's earlier picks. */
export const fillDraft = Effect.fnUntraced(function* (plan: PlanRecord) {
  if (plan.status !== "draft") return yield* notEditable(plan)
  const ids = yield* IdSource
  const nowMs = yield* Clock.currentTimeMillis
  const classes = Object.keys(defaultRotation(0).shares)
  const candidates = yield* (yield* Tracks).rested(classes, rotationCandidatesMax * 2, nowMs)
  const stock = yield* (yield* PlanStocks).of(plan.agentId, plan.items)
  const newIds = yield* Effect.forEach(
    Array.from({ length: planItemsMax }),
    () => ids.make("itm") as Effect.Effect<ItemId>
  )
  const made = fillMusic({
    planId: plan.id,
    startMs: plan.startMs,
    targetDurationSec: plan.targetDurationSec,
    items: plan.items,
    stock,
    candidates,
    plays: yield* nearby(plan, nowMs),
    genres: (yield* blockOf(plan))?.genres ?? [],
    newIds
  })
  const filled = yield* (yield* PlansWriter).move(plan.id, {
    from: ["draft"],
    to: "draft",
    reason: null,
    atMs: nowMs,
    patch: yield* measured(plan, made.items)
  })
  return filled === null ? yield* notEditable(plan) : { plan: filled, added: made.added, gapSec: made.gapSec }
})
export const fillPlan = Effect.fn("Producer.fillMusic")(function* ({ by: { agentId }, planId }: PlanCommand) {
  const plan = yield* ownPlan(planId, agentId)
  yield* activeAgent(agentId)
  return yield* command({
    run: Effect.gen(function* () {
      const filled = yield* fillDraft(plan)
      return { ...filled, plan: yield* shown(filled.plan) }
    })
  })
})
