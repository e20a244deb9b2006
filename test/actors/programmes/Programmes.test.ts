import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { TestClock } from "effect/testing"
import { airIdOf } from "../../../engine/rules/air/Sequence.ts"
import { msOf, sampleOf } from "../../../schema/time/Samples.ts"
import { airable, testId } from "../../support/air/Airables.ts"
import { makeMemoryStore } from "../../support/air/MemoryStore.ts"
import { makeMixerAir } from "../../support/air/MixerAir.ts"
import { planItem } from "../../support/air/PlanMemory.ts"
import { noon, pass, startPlayout } from "../../support/air/Playout.ts"
import { assetOf, makeStudioDouble } from "../../support/air/StudioDouble.ts"

const minute = 60_000
/** A station with songs, and a plan of two voices and two songs. */
const world = Effect.gen(function* () {
  yield* TestClock.setTime(noon)
  const store = makeMemoryStore()
  const studio = makeStudioDouble()
  const scope = yield* Scope.make()
  const now = yield* Scope.provide(startPlayout({ store, studio }), scope)
  yield* pass(20)
  const spoken = [60, 45].map((sec, i) => airable("segment", 5_000 + i, sec))
  const songs = [...store.tracks.values()].slice(0, 2)
  const items = [
    planItem(0, { kind: "talk", segmentId: spoken[0]!.segmentId }),
    planItem(1, { trackId: songs[0]!.id, transition: "talk_over" }),
    planItem(2, { kind: "pause", durationSec: 0.8 }),
    planItem(3, { kind: "segment", segmentId: spoken[1]!.segmentId }),
    planItem(4, { trackId: songs[1]!.id })
  ]
  const startMs = msOf((yield* now.air.air.status).nowSample) + 5 * minute
  // Items of a plan aren't in the open queue.
  for (const each of spoken) store.submit(each, assetOf(each))
  for (const each of spoken) store.segments.get(each.segmentId!)!.bound = true
  const planId = store.book(1, startMs, startMs + 20 * minute, items)
  const rowOf = (item: { readonly id: string }) => store.asRun.find((row) => row.itemId === airIdOf(planId, item.id))
  return { store, studio, scope, now, items, startMs, planId, rowOf, plan: store.plans.get(planId)! }
})
describe("a plan on the air", () => {
  it.effect(
    "begins on time, airs in order, and is aired when its last part ends",
    () =>
      Effect.gen(function* () {
        const { items, now, plan, planId, rowOf, startMs, store } = yield* world
        yield* pass(200, 5)
        expect(plan.status).toBe("approved")
        expect(
          (yield* now.playout.scheduler.state).items
            .filter((item) => item.plan?.planId === planId)
            .map((item) => item.plan!.itemId)
        ).toEqual([0, 1, 3, 4].map((n) => items[n]!.id))
        expect(store.segments.get(items[0]!.segmentId!)!.state).toBe("scheduled")
        // Whatever was skipped directly before it.
        yield* pass(85, 5)
        yield* now.playout.ask(now.playout.scheduler.skip(null))
        yield* pass(35, 5)
        expect(plan.status).toBe("airing")
        expect(
          rowOf(items[0]!) ?? [...store.open.keys()].find((id) => id === airIdOf(planId, items[0]!.id))
        ).toBeDefined()
        yield* pass(900, 15)
        expect(plan).toMatchObject({ status: "aired", airedItems: 5, moves: ["airing", "aired"] })
        expect(Math.abs(rowOf(items[0]!)!.firstSample - sampleOf(startMs))).toBeLessThanOrEqual(50 * 48)
        const rows = [0, 1, 3, 4].map((n) => rowOf(items[n]!)!)
        expect(rows.map(({ outcome }) => outcome)).toEqual(["complete", "complete", "complete", "complete"])
        const heard = store.asRun
          .filter(({ itemId }) => itemId !== null)
          .toSorted((a, b) => a.firstSample - b.firstSample)
        const seq = rows.map((row) => heard.indexOf(row))
        expect(seq).toEqual([0, 1, 2, 3].map((n) => seq[0]! + n))
        expect(rows[0]!.trace.join()).toContain("plan: plan 1")
        expect([0, 3].map((n) => store.segments.get(items[n]!.segmentId!)!.state)).toEqual(["aired", "aired"])
        expect(store.planNotes.get(items[4]!.id)).toMatchObject({ why: null })
        expect(
          Math.abs(store.planNotes.get(items[4]!.id)!.plannedAtMs! - msOf(rowOf(items[4]!)!.firstSample))
        ).toBeLessThan(50)
      }),
    300_000
  )

  it.effect(
    "F3: continues after a kill with the parts not yet begun, and airs nothing twice",
    () =>
      Effect.gen(function* () {
        const { items, plan, rowOf, scope, startMs, store, studio, planId } = yield* world
        yield* pass(300 + 80, 5)
        yield* Scope.close(scope, Exit.void)
        yield* pass(15)
        yield* startPlayout({ store, studio })
        yield* pass(900, 15)
        expect(plan.status).toBe("aired")
        const rows = store.asRun.filter((row) => items.some(({ id }) => airIdOf(planId, id) === row.itemId))
        expect(rows.map((row) => items.findIndex(({ id }) => airIdOf(planId, id) === row.itemId))).toEqual([0, 1, 3, 4])
        expect(rows.map(({ outcome }) => outcome)).toEqual(["complete", "cut", "complete", "complete"])
        expect(rowOf(items[3]!)!.firstSample).toBeGreaterThan(sampleOf(startMs))
      }),
    300_000
  )

  it.effect(
    "F6: airs once and is marked so if its parts end before a slow store is updated",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(noon)
        const store = makeMemoryStore()
        const now = yield* startPlayout({ store, studio: makeStudioDouble() })
        yield* pass(20)
        const spoken = [4, 3, 3, 3].map((sec, i) => airable("segment", 5_000 + i, sec))
        for (const each of spoken) store.submit(each, assetOf(each))
        for (const each of spoken) store.segments.get(each.segmentId!)!.bound = true
        const startMs = msOf((yield* now.air.air.status).nowSample) + 60_000
        store.book(
          1,
          startMs,
          startMs + 5 * minute,
          spoken.map(({ segmentId }, n) => planItem(n, { kind: "talk", segmentId }))
        )
        yield* pass(50)
        store.slowMs = 1_500
        yield* pass(240)
        store.slowMs = 0
        yield* pass(60)
        expect(
          store.asRun.flatMap(({ outcome, segmentId }) => (segmentId === null ? [] : [[segmentId, outcome]]))
        ).toEqual(spoken.map(({ segmentId }) => [segmentId, "complete"]))
        expect(spoken.map(({ segmentId }) => store.segments.get(segmentId!)!.moves)).toEqual(
          spoken.map(() => ["queued>scheduled", "scheduled>airing", "airing>aired"])
        )
      }),
    300_000
  )

  it.effect(
    "leaves out parts held by the station or an operator, and names the reason",
    () =>
      Effect.gen(function* () {
        const {
          items,
          now: { playout },
          plan,
          planId,
          rowOf,
          store
        } = yield* world
        const { ask, scheduler } = playout
        yield* pass(30, 5)
        store.segments.get(items[3]!.segmentId!)!.state = "held"
        yield* pass(10, 5)
        const idOf = (n: number) => airIdOf(planId, items[n]!.id)
        const stand = Effect.map(scheduler.state, (rundown) =>
          rundown.items.flatMap((item) =>
            item.plan?.planId === planId ? [items.findIndex(({ id }) => id === item.plan!.itemId)] : []
          )
        )
        expect(yield* stand).toEqual([0, 1, 4])
        yield* ask(scheduler.holdItem(idOf(1), true, "not that one today"))
        expect(yield* stand).toEqual([0, 4])
        expect((yield* scheduler.state).heldItems!.map(({ trace }) => trace.at(-1))).toEqual([
          "held by an operator: not that one today"
        ])
        yield* ask(scheduler.holdItem(idOf(1), false))
        expect(yield* stand).toEqual([0, 1, 4])
        yield* ask(scheduler.move(idOf(4), idOf(1), "the other way round"))
        expect(yield* stand).toEqual([0, 4, 1])
        yield* ask(scheduler.drop(idOf(1), "out"))
        yield* pass(900, 15)
        expect(plan).toMatchObject({ status: "aired", airedItems: 2 })
        expect([0, 1, 3, 4].map((n) => rowOf(items[n]!) === undefined)).toEqual([false, true, true, false])
        expect(rowOf(items[4]!)!.trace).toContain("moved by an operator: the other way round")
        expect([1, 3].map((n) => store.planNotes.get(items[n]!.id)?.why)).toEqual([
          "taken out by an operator: out",
          "its segment is held"
        ])
      }),
    300_000
  )

  it.effect(
    "repeats nothing that an operator aired before",
    () =>
      Effect.gen(function* () {
        const {
          items,
          now: { playout },
          plan,
          rowOf,
          store
        } = yield* world
        yield* pass(30, 5)
        const early = store.segments.get(items[3]!.segmentId!)!
        yield* playout.ask(playout.scheduler.insert(testId("itm", 71), early.airable, { _tag: "Flow" }, null, true))
        yield* pass(1_100, 10)
        expect(store.asRun.filter((row) => row.segmentId === items[3]!.segmentId).map((row) => row.itemId)).toEqual([
          testId("itm", 71)
        ])
        expect([early.moves.at(-1), plan.status, rowOf(items[4]!)?.outcome]).toEqual([
          "airing>aired",
          "aired",
          "complete"
        ])
      }),
    300_000
  )

  it.effect(
    "is cancelled if none of it aired, and continues with the remaining time after an emergency",
    () =>
      Effect.gen(function* () {
        const {
          now: { playout },
          plan,
          store,
          items,
          rowOf
        } = yield* world
        yield* playout.ask(playout.scheduler.emergency(true, "drill"))
        yield* pass(300 + 60, 15)
        yield* playout.ask(playout.scheduler.emergency(false, "over"))
        yield* pass(600, 15)
        expect(plan.status).toBe("aired")
        expect(rowOf(items[0]!)!.outcome).toBe("complete")
        const nowMs = msOf(store.asRun.at(-1)!.lastSample)
        const second = store.book(2, nowMs + minute, nowMs + 3 * minute, [
          planItem(9, { kind: "talk", segmentId: testId("seg", 99) })
        ])
        yield* pass(300, 15)
        expect(store.plans.get(second)).toMatchObject({
          status: "cancelled",
          reason: "NOT_AIRED",
          moves: ["cancelled"]
        })
      }),
    300_000
  )

  it.effect(
    "airs contributions to a topic one after the other once there are enough",
    () =>
      Effect.gen(function* () {
        const { store } = yield* world
        const said = [20, 30, 25].map((sec, i) => airable("segment", 6_000 + i, sec))
        for (const each of said) store.submit(each, assetOf(each))
        for (const each of said) store.segments.get(each.segmentId!)!.bound = true
        yield* pass(10, 5)
        expect(said.map(({ segmentId }) => store.segments.get(segmentId!)!.state)).toEqual([
          "queued",
          "queued",
          "queued"
        ])
        store.topics.push({
          topicId: testId("top", 1),
          title: "x",
          segmentIds: said.map(({ segmentId }) => segmentId!)
        })
        yield* pass(280, 5)
        const rows = said.map(({ segmentId }) => store.asRun.findIndex((row) => row.segmentId === segmentId))
        expect(rows).toEqual([rows[0]!, rows[0]! + 1, rows[0]! + 2])
        expect(said.map(({ segmentId }) => store.segments.get(segmentId!)!.moves)).toEqual(
          [1, 2, 3].map(() => ["queued>scheduled", "scheduled>airing", "airing>aired"])
        )
      }),
    300_000
  )

  it.effect(
    "is rendered to the exact sample, including silence",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(noon)
        const store = makeMemoryStore()
        const { air } = yield* startPlayout({ store, studio: makeStudioDouble(), airs: makeMixerAir })
        yield* pass(20)
        const spoken = [12, 9].map((sec, i) => airable("segment", 5_000 + i, sec))
        for (const each of spoken) store.submit(each, assetOf(each))
        for (const each of spoken) store.segments.get(each.segmentId!)!.bound = true
        const startMs = noon + 2 * minute
        const items = [
          planItem(0, { kind: "talk", segmentId: spoken[0]!.segmentId }),
          planItem(1, { kind: "pause", durationSec: 1.2 }),
          planItem(2, { kind: "talk", segmentId: spoken[1]!.segmentId })
        ]
        const planId = store.book(1, startMs, startMs + 5 * minute, items)
        yield* pass(150, 2)
        const begun = air.told.flatMap((event) =>
          event._tag === "Started" && event.itemId !== null ? [[event.itemId, event.atSample] as const] : []
        )
        const at = (n: number) => begun.find(([id]) => id === airIdOf(planId, items[n]!.id))?.[1]
        expect(at(0)).toBe(sampleOf(startMs))
        expect(at(2)).toBe(sampleOf(startMs) + Math.round(13.2 * 48_000))
        // The silence between them stayed empty.
        expect(
          air.told.some(
            (event) => event._tag === "Started" && event.itemId === null && event.atSample > sampleOf(startMs)
          )
        ).toBe(false)
      }),
    300_000
  )
})
