import { Effect, Ref } from "effect"
import { planAheadMs, rundownAheadSec, rundownMarginMs, topicsForAirMax } from "../../engine/rules/air/limits.ts"
import { runAt, weekFrom } from "../../engine/rules/time/WeekSchedule.ts"
import { findAiredItems } from "../../engine/rules/programmes/PlanReceipts.ts"
import type { Plan, Pool } from "../../engine/rules/air/Planner.ts"
import { partsOf, type Programme, timelineOf } from "../../engine/rules/air/Programme.ts"
import { airIdOf, type Due, limitOf, type TopicTalk } from "../../engine/rules/air/Sequence.ts"
import { msOf } from "../../schema/time/Samples.ts"
import { Candidates } from "../../engine/store/air/Candidates.ts"
import { WeekSchedules } from "../../engine/store/programmes/WeekSchedules.ts"
import { type PlanForAir, PlansForAir } from "../../engine/store/air/PlansForAir.ts"
import type { PartNote } from "../../engine/store/programmes/Plans.ts"
import { PlanAirings } from "../programmes/inTransaction.ts"
import { Topics } from "../../engine/store/programmes/Topics.ts"
import type { GridRevision } from "../../schema/programmes/Block.ts"
import type { ItemId, PlanId } from "../../schema/Ids.ts"
import type { Airable, Rundown, RundownItem } from "../../schema/air/Rundown.ts"
import { hasSucceeded } from "./CandidatePool.ts"

interface Known {
  readonly plan: PlanForAir
  readonly programme: Programme
  readonly notes: ReadonlyArray<PartNote>
}
const hourMs = 3_600_000
/** Programme data of the scheduler: the week, the plans of the next hours with their progress, and topics ready for air. */
export const makePlanFeed = Effect.fnUntraced(function* ({
  fence,
  zone
}: {
  readonly fence: number
  readonly zone: string
}) {
  const grids = yield* WeekSchedules
  const planAirings = yield* PlanAirings
  const plans = yield* PlansForAir
  const candidates = yield* Candidates
  const topics = yield* Topics
  const week = yield* Ref.make<ReadonlyArray<GridRevision>>([])
  const known = yield* Ref.make<ReadonlyArray<Known>>([])
  const talks = yield* Ref.make<ReadonlyArray<TopicTalk>>([])
  const begun = yield* Ref.make<ReadonlyMap<ItemId, number>>(new Map())
  const told = yield* Ref.make<ReadonlyMap<string, PartNote>>(new Map())
  const planned = yield* Ref.make("")

  const programmeOf = (
    plan: PlanForAir,
    revisions: ReadonlyArray<GridRevision>,
    pool: Pool,
    isGood: (airable: Airable) => boolean
  ): Known => {
    const { endMs, faults, id: planId, items, sounds, startMs, title } = plan
    const soundOf = (item: PlanForAir["items"][number]) => {
      const sound = sounds.get(item.id)
      return sound !== undefined && isGood(sound) ? sound : null
    }
    const { missing, parts } = partsOf(items, { soundOf, idents: pool.idents, beds: pool.beds })
    const { block } = runAt(revisions, zone, startMs)
    const programme = {
      planId,
      title,
      startMs,
      endMs,
      overrunPolicy: block.id === plan.blockId ? block.overrunPolicy : "trim",
      parts
    } as const
    const rows = timelineOf(programme)
    return {
      plan,
      programme,
      notes: items.map((item): PartNote => {
        const row = rows.find(({ itemId }) => itemId === item.id)
        return {
          planId,
          itemId: item.id,
          plannedAtMs: row === undefined ? null : msOf(row.startSample),
          why: missing.includes(item) ? (faults.get(item.id) ?? "its audio is unavailable") : null
        }
      })
    }
  }

  /** Parts that have not begun. A part skipped before a later part began is over, unless it is still in the rundown. */
  const dues = (
    all: ReadonlyArray<Known>,
    started: ReadonlyMap<ItemId, number>,
    rundown: Rundown,
    frozen: ReadonlyArray<RundownItem>
  ): ReadonlyArray<Due> => {
    const under = new Set([rundown.onAir, ...frozen].map((item) => item?.id))
    const standing = new Set([...rundown.items, ...(rundown.heldItems ?? [])].map(({ id }) => id))
    /** An operator placed its segment elsewhere. */
    const isTaken = ({ airable: { segmentId }, itemId }: Programme["parts"][number]) =>
      segmentId !== null &&
      [rundown.onAir, ...rundown.items].some(
        (item) => item?.airable.segmentId === segmentId && item.plan?.itemId !== itemId
      )
    return all.map(({ plan, programme }) => {
      const hasBegun = ({ itemId }: { readonly itemId: ItemId }) =>
        started.has(airIdOf(plan.id, itemId)) || under.has(airIdOf(plan.id, itemId))
      const last = programme.parts.findLastIndex(hasBegun)
      return {
        ...programme,
        begun: plan.items.some(({ id }) => hasBegun({ itemId: id })),
        parts: programme.parts.filter(
          (part, i) =>
            !hasBegun(part) &&
            !plan.spent.has(part.itemId) &&
            !isTaken(part) &&
            (i > last || standing.has(airIdOf(plan.id, part.itemId)))
        )
      }
    })
  }
  const listDue = (rundown: Rundown, frozen: ReadonlyArray<RundownItem> = []) =>
    Effect.zipWith(Ref.get(known), Ref.get(begun), (all, started) => dues(all, started, rundown, frozen))

  const read = Effect.fnUntraced(function* (nowMs: number, pool: Pool, isGood: (airable: Airable) => boolean) {
    const revisions = weekFrom(yield* grids.from(nowMs), nowMs)
    yield* Ref.set(week, revisions)
    yield* Ref.set(
      known,
      (yield* plans.listUpcoming(nowMs + planAheadMs)).map((plan) => programmeOf(plan, revisions, pool, isGood))
    )
    const full = yield* topics.listFilledForAir(nowMs, topicsForAirMax)
    yield* Ref.set(
      talks,
      yield* Effect.forEach(full, ({ segmentIds, title, topicId }) =>
        Effect.map(Effect.forEach(segmentIds, candidates.findAirable), (found) => ({
          topicId,
          title,
          airables: found.flatMap((airable) => (airable !== null && isGood(airable) ? [airable] : []))
        }))
      )
    )
  })

  /** Fingerprint of the planner's inputs; a change triggers a replan. */
  const fingerprintOf = (rundown: Rundown, nowMs: number) =>
    Effect.map(Effect.all([listDue(rundown), Ref.get(week), Ref.get(talks)]), ([programmes, revisions, full]) =>
      JSON.stringify([
        revisions,
        full.map(({ airables, topicId }) => [topicId, airables.length]),
        programmes
          .filter(({ startMs }) => startMs < nowMs + rundownAheadSec * 1_000 + 2 * rundownMarginMs)
          .map(({ endMs, overrunPolicy, parts, planId, startMs }) => [
            planId,
            startMs,
            endMs,
            overrunPolicy,
            parts.map(({ airable, itemId }) => [itemId, airable.assetId, airable.bedAssetId])
          ])
      ])
    )

  const note = (notes: ReadonlyArray<PartNote>) =>
    Effect.gen(function* () {
      const before = yield* Ref.get(told)
      const fresh = notes.filter(({ itemId, plannedAtMs, planId, why }) => {
        const known = before.get(`${planId}/${itemId}`)
        return (
          known === undefined ||
          (why !== null && why !== known.why) ||
          (plannedAtMs !== null && plannedAtMs !== known.plannedAtMs)
        )
      })
      for (const { itemId, planId, why } of fresh)
        if (why !== null) yield* Effect.logWarning(`scheduler: ${itemId} of ${planId} is left out: ${why}`)
      if (fresh.length === 0 || !(yield* hasSucceeded("the plans", planAirings.noteParts(fresh)))) return
      yield* Ref.update(
        told,
        (all) =>
          new Map([
            ...all,
            ...fresh.map((each) => {
              const name = `${each.planId}/${each.itemId}`
              return [name, { ...each, plannedAtMs: each.plannedAtMs ?? all.get(name)?.plannedAtMs ?? null }] as const
            })
          ])
      )
    })

  return {
    /** Restores the begun items after a restart, from the as-run log and the item on the air. */
    begin: Effect.fnUntraced(function* (rundown: Rundown, nowMs: number, pool: Pool) {
      yield* read(nowMs, pool, () => true)
      const heard = yield* plans.listHeard(
        (yield* Ref.get(known)).flatMap(({ plan }) => plan.items.map((item) => airIdOf(plan.id, item.id)))
      )
      const onAir =
        rundown.onAir?.plan === undefined ? [] : [[rundown.onAir.id, msOf(rundown.onAir.startSample)] as const]
      yield* Ref.set(
        begun,
        new Map([...heard.map(({ itemId, startedAtMs }) => [itemId, startedAtMs] as const), ...onAir])
      )
    }),
    look: (nowMs: number, pool: Pool, isGood: (airable: Airable) => boolean) =>
      hasSucceeded("the plans", read(nowMs, pool, isGood)),
    week: Effect.map(Ref.get(week), (revisions) => (revisions.length > 0 ? revisions : weekFrom([], 0))),
    listDue,
    /** Topics ready for air. One that isn't in the rundown yet is inserted as a whole. */
    talks: Ref.get(talks),
    isNews: (rundown: Rundown, nowMs: number) =>
      Effect.zipWith(fingerprintOf(rundown, nowMs), Ref.get(planned), (now, before) => now !== before),
    isKnown: Effect.map(Ref.get(known), (all) => (planId: PlanId) => all.some(({ plan }) => plan.id === planId)),
    note,
    markBegun: (item: RundownItem) =>
      item.plan === undefined
        ? Effect.void
        : Ref.update(begun, (all) => new Map(all).set(item.id, msOf(item.startSample))),
    /**
     * An item that was assumed to have begun and was not heard. With faulty audio it is dropped, because part of it may have been heard.
     */
    displace: (item: RundownItem, why: string, blamed: boolean) =>
      blamed
        ? item.plan === undefined
          ? Effect.void
          : note([{ ...item.plan, plannedAtMs: null, why }])
        : Ref.update(begun, (all) => new Map([...all].filter(([id]) => id !== item.id))),
    /** Reports to the store: running plans, planned times of their parts, and parts without time. */
    report: Effect.fnUntraced(function* (rundown: Rundown, nowMs: number, left: Plan["left"]) {
      yield* Ref.set(planned, yield* fingerprintOf(rundown, nowMs))
      const started = yield* Ref.get(begun)
      const near = (yield* Ref.get(known)).filter(({ plan }) => plan.startMs < nowMs + rundownAheadSec * 1_000)
      yield* note(near.flatMap(({ notes }) => notes))
      yield* note(left.map(({ itemId, planId, why }) => ({ planId, itemId, plannedAtMs: null, why })))
      for (const { plan } of near) {
        const first = Math.min(...plan.items.flatMap(({ id }) => started.get(airIdOf(plan.id, id)) ?? []))
        if (plan.status === "approved" && first < Number.POSITIVE_INFINITY)
          yield* hasSucceeded("the plans", planAirings.begin(plan.id, first, fence))
      }
    }),
    /** Ends plans that are over, with the items in the as-run log. */
    reconcile: Effect.fnUntraced(function* (rundown: Rundown, nowMs: number) {
      const all = yield* listDue(rundown)
      for (const { plan, programme } of yield* Ref.get(known)) {
        const stands = [rundown.onAir, ...rundown.items].some((item) => item?.plan?.planId === plan.id)
        const left = all.find(({ planId }) => planId === plan.id)!
        const untilMs = programme.overrunPolicy === "allow" ? plan.endMs + hourMs : msOf(limitOf(programme))
        if (
          stands ||
          (nowMs < (left.begun === true ? untilMs : plan.endMs) && !(left.begun === true && left.parts.length === 0))
        )
          continue
        yield* hasSucceeded(
          "the plans",
          Effect.gen(function* () {
            const aired = findAiredItems(
              plan.id,
              plan.items,
              yield* plans.listHeard(plan.items.map((item) => airIdOf(plan.id, item.id)))
            )
            yield* planAirings.finish(plan.id, aired.size, nowMs, fence)
            yield* Ref.update(known, (others) => others.filter((other) => other.plan.id !== plan.id))
          })
        )
      }
    })
  }
})
