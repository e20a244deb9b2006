import { Clock, Effect } from "effect"
import { Ids } from "../engine/Ids.ts"
import { planItemsMax, playsRememberedMax, rotationCandidatesMax, rundownAheadSec } from "../engine/Limits.ts"
import { weekFrom } from "../engine/rules/Grid.ts"
import { fillMusic, musicOf, separationMaxMs } from "../engine/rules/PlanMusic.ts"
import { playOf } from "../engine/rules/Planner.ts"
import { defaultRotation } from "../engine/rules/Rotation.ts"
import { AsRun } from "../engine/store/AsRun.ts"
import { Grids } from "../engine/store/Grids.ts"
import { PlanStocks } from "../engine/store/PlanStocks.ts"
import { type PlanRecord, Plans } from "../engine/store/Plans.ts"
import { Rundowns } from "../engine/store/Rundowns.ts"
import { Tracks } from "../engine/store/Tracks.ts"
import type { ItemId } from "../schema/Ids.ts"
import { Bus } from "./Bus.ts"
import { measured, notEditable, ownPlan, type PlanCommand, shown } from "./ProducerPlans.ts"
import { performed } from "./Rehearsing.ts"
import { atLarge } from "./Writing.ts"

/** The block as it will be when the plan airs. */
export const blockOf = Effect.fnUntraced(function*(plan: Pick<PlanRecord, "blockId" | "startMs">) {
  const week = weekFrom(yield* (yield* Grids).from(plan.startMs), plan.startMs)
  return week.flatMap(({ blocks }) => blocks).find(({ id }) => id === plan.blockId) ?? null
})

/** What is heard near a run, as far as anybody knows by now: what the log and the rundown have, and what other plans mean to air. */
const nearby = Effect.fnUntraced(function*({ endMs, id, startMs }: PlanRecord, nowMs: number) {
  const [fromMs, toMs] = [startMs - separationMaxMs, endMs + separationMaxMs]
  const stationId = yield* (yield* Bus).get("stationId")
  const isSoon = stationId !== null && fromMs < nowMs + rundownAheadSec * 1_000
  const heard = isSoon ? yield* (yield* AsRun).plays(stationId, playsRememberedMax) : []
  const rundown = isSoon ? yield* (yield* Rundowns).load(stationId) : null
  const stocks = yield* PlanStocks
  const others = (yield* (yield* Plans).around(fromMs, toMs)).filter((plan) => plan.id !== id)
  const planned = yield* Effect.forEach(others, (plan) => Effect.map(stocks.of(plan.agentId, plan.items), (stock) => musicOf(plan, stock)))
  return [...heard, ...[rundown?.onAir ?? null, ...rundown?.items ?? []].flatMap((item) => item === null ? [] : [playOf(item)]), ...planned.flat()].filter(({ atMs }) => atMs > fromMs && atMs < toMs)
})

/** Fills a draft with music up to its length: the station's own picks, which a repeat replaces. */
export const fillDraft = Effect.fnUntraced(function*(plan: PlanRecord) {
  if (plan.status !== "draft") return yield* notEditable(plan)
  const ids = yield* Ids
  const nowMs = yield* Clock.currentTimeMillis
  const classes = Object.keys(defaultRotation(0).shares)
  const candidates = yield* (yield* Tracks).rested(classes, rotationCandidatesMax * 2, nowMs)
  const stock = yield* (yield* PlanStocks).of(plan.agentId, plan.items)
  const newIds = yield* Effect.forEach(Array.from({ length: planItemsMax }), () => ids.make("itm") as Effect.Effect<ItemId>)
  const made = fillMusic({
    planId: plan.id, startMs: plan.startMs, targetDurationSec: plan.targetDurationSec, items: plan.items, stock, candidates, plays: yield* nearby(plan, nowMs), genres: (yield* blockOf(plan))?.genres ?? [], newIds
  })
  const filled = yield* (yield* Plans).move(plan.id, { from: ["draft"], to: "draft", reason: null, atMs: nowMs, patch: yield* measured(plan, made.items) })
  return filled === null ? yield* notEditable(plan) : { plan: filled, added: made.added, gapSec: made.gapSec }
})

export const fillPlan = Effect.fn("Producer.fillMusic")(function*({ by: { agentId }, dryRun, planId }: PlanCommand) {
  const plan = yield* ownPlan(planId, agentId)
  yield* atLarge(agentId)
  const filled = yield* performed(fillDraft(plan), dryRun)
  return { ...filled, plan: yield* shown(filled.plan) }
})
