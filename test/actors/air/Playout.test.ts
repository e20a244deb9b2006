import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { TestClock } from "effect/testing"
import { msOf, sampleOf } from "../../../schema/time/Samples.ts"
import { faultsIn } from "../../../engine/rules/air/ItemSequence.ts"
import { checkAccounted } from "../../support/air/Accounted.ts"
import { airable, testId } from "../../support/air/Airables.ts"
import { makeMemoryStore } from "../../support/air/MemoryStore.ts"
import { noon, pass, startPlayout } from "../../support/air/Playout.ts"
import { assetOf, makeStudioDouble } from "../../support/air/StudioDouble.ts"

const station = Effect.gen(function* () {
  yield* TestClock.setTime(noon)
  const store = makeMemoryStore()
  const studio = makeStudioDouble()
  return { store, studio, start: startPlayout({ store, studio }) }
})
describe("the station on the air", () => {
  it.effect("makes its own programme and plans half an hour ahead", () =>
    Effect.gen(function* () {
      const { start, store } = yield* station
      const { air, bus, playout } = yield* start
      yield* pass(30)
      expect(store.pieces.size).toBeGreaterThan(40)
      expect(store.tracks.size).toBeGreaterThanOrEqual(12)
      expect(new Set([...store.tracks.values()].map((track) => track.genre)).size).toBeGreaterThanOrEqual(6)
      expect(air.libraries.at(-1)!.length).toBeGreaterThanOrEqual(3)
      const rundown = yield* playout.scheduler.state
      expect(rundown.items.length).toBeGreaterThanOrEqual(12)
      expect(faultsIn(rundown.items)).toEqual([])
      expect(msOf(rundown.items.at(-1)!.startSample)).toBeGreaterThan(noon + 1_700_000)
      expect(air.onAir()).not.toBeNull()
      expect((yield* bus.get("queue"))!.health).toBe("healthy")
      expect((yield* bus.get("nowPlaying"))!.item.id).toBe(air.onAir()!.itemId)
      yield* pass(600)
      expect(store.asRun.filter((row) => row.outcome === "complete").length).toBeGreaterThan(3)
      checkAccounted(store.asRun)
    })
  )

  it.effect("airs one bed and one ident of its own while its programme is off, and makes the rest once it is on", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const [store, studio] = [makeMemoryStore(), makeStudioDouble()]
      const first = yield* Scope.make()
      const { air, playout } = yield* Scope.provide(
        startPlayout({ store, studio, settings: { HOUSE_PROGRAMME: "off" } }),
        first
      )
      yield* pass(300)
      expect([...store.pieces.keys()]).toEqual(["ident:0", "bed:0"])
      expect(air.libraries.at(-1)!).toHaveLength(2)
      expect(air.onAir()).not.toBeNull()
      expect(faultsIn((yield* playout.scheduler.state).items)).toEqual([])
      yield* Scope.close(first, Exit.void)
      yield* startPlayout({ store, studio })
      yield* pass(30)
      expect(store.pieces.size).toBeGreaterThan(40)
    })
  )

  it.effect("airs a queued segment within minutes, once, and reports it", () =>
    Effect.gen(function* () {
      const { start, store } = yield* station
      const { playout } = yield* start
      yield* pass(60)
      const segment = airable("segment", 7, 40)
      store.submit(segment, assetOf(segment))
      const placed = yield* playout.ask(playout.scheduler.enqueue(segment.segmentId!))
      expect(placed).not.toBeNull()
      // The same message twice more.
      yield* playout.ask(playout.scheduler.enqueue(segment.segmentId!))
      yield* playout.ask(playout.scheduler.enqueue(segment.segmentId!))
      expect(
        (yield* playout.scheduler.state).items.filter((item) => item.airable.segmentId === segment.segmentId)
      ).toHaveLength(1)
      yield* pass(420)
      expect(store.segments.get(segment.segmentId!)).toMatchObject({
        state: "aired",
        complete: true,
        moves: ["queued>scheduled", "scheduled>airing", "airing>aired"]
      })
      expect(store.asRun.filter((row) => row.segmentId === segment.segmentId)).toHaveLength(1)
    })
  )

  it.effect("removes a withdrawn segment, and one held without a message to it", () =>
    Effect.gen(function* () {
      const { start, store } = yield* station
      const { playout } = yield* start
      yield* pass(60)
      const [one, two] = [airable("segment", 1, 300), airable("segment", 2, 300)]
      for (const each of [one, two]) store.submit(each, assetOf(each))
      yield* playout.ask(playout.scheduler.replan)
      store.segments.get(two.segmentId!)!.state = "held"
      store.segments.get(one.segmentId!)!.state = "held"
      const aired = (yield* playout.scheduler.state).onAir?.airable.segmentId
      yield* playout.ask(playout.scheduler.withdraw(one.segmentId!))
      yield* pass(6)
      const left = (yield* playout.scheduler.state).items.map((item) => item.airable.segmentId)
      expect(left.includes(one.segmentId)).toBe(false)
      expect(left.includes(two.segmentId)).toBe(false)
      expect([one.segmentId, two.segmentId].includes(aired ?? null)).toBe(false)
    })
  )

  it.effect("skips at once, and only once for a repeated command", () =>
    Effect.gen(function* () {
      const { start } = yield* station
      const { air, playout } = yield* start
      yield* pass(120)
      const before = air.onAir()!
      const next = yield* playout.ask(playout.scheduler.skip(before.itemId))
      const after = air.onAir()!
      expect(after.itemId).not.toBe(before.itemId)
      expect(after.itemId).toBe(next.items[0]!.id)
      yield* pass(1)
      yield* playout.ask(playout.scheduler.skip(before.itemId))
      expect(air.onAir()!.itemId).toBe(after.itemId)
      yield* pass(60)
      expect(air.spans.find((span) => span.itemId === before.itemId)!.complete).toBe(false)
    })
  )

  it.effect("airs the next item if the requested one can't air", () =>
    Effect.gen(function* () {
      const { start, store, studio } = yield* station
      const { air, playout } = yield* start
      yield* pass(120)
      const wanted = airable("music", 77, 100)
      store.assets.set(wanted.assetId, assetOf(wanted))
      studio.broken.set(wanted.assetId, "missing")
      const spans = air.spans.length
      const { items } = (yield* playout.ask(
        playout.scheduler.insert(testId("itm", 5), wanted, { _tag: "Flow" }, null, true)
      ))!
      expect(items[0]!.airable.assetId).toBe(wanted.assetId)
      expect(air.onAir()!.itemId).toBe(items[1]!.id)
      yield* pass(60)
      expect(air.spans.slice(spans).every(({ itemId }) => itemId !== null)).toBe(true)
      expect((yield* playout.scheduler.state).items.some((item) => item.airable.assetId === wanted.assetId)).toBe(false)
    })
  )

  it.effect("starts the emergency programme and returns to the plan", () =>
    Effect.gen(function* () {
      const { start } = yield* station
      const { air, playout } = yield* start
      yield* pass(60)
      yield* playout.ask(playout.scheduler.emergency(true, "test"))
      expect(air.onAir()).toBeNull()
      yield* pass(30)
      expect(air.onAir()).toBeNull()
      yield* playout.ask(playout.scheduler.emergency(false, "test"))
      yield* pass(2)
      expect(air.onAir()).not.toBeNull()
    })
  )

  it.effect("holds contributions while held", () =>
    Effect.gen(function* () {
      const { start, store } = yield* station
      const { playout } = yield* start
      yield* pass(30)
      const segment = airable("segment", 3, 30)
      store.submit(segment, assetOf(segment))
      yield* playout.ask(playout.scheduler.replan)
      yield* playout.ask(playout.scheduler.hold(true))
      yield* pass(400)
      expect(store.segments.get(segment.segmentId!)!.state).toBe("queued")
      yield* playout.ask(playout.scheduler.hold(false))
      yield* pass(400)
      expect(store.segments.get(segment.segmentId!)!.state).toBe("aired")
    })
  )

  it.effect("returns a fixed item to its place after a hold, or reports that its time has passed", () =>
    Effect.gen(function* () {
      const { start, store } = yield* station
      const { air, playout } = yield* start
      yield* pass(30)
      const startMs = msOf((yield* air.air.status).nowSample)
      const put = (n: number, inMs: number) =>
        Effect.gen(function* () {
          const segment = airable("segment", n, 30)
          store.submit(segment, assetOf(segment))
          yield* playout.ask(
            playout.scheduler.insert(testId("itm", n), segment, { _tag: "Hard", atMs: startMs + inMs }, null, false)
          )
        })
      yield* put(3, 1_200_000)
      yield* put(4, 240_000)
      const held = yield* playout.ask(playout.scheduler.hold(true))
      expect([
        held.items.filter(({ airable }) => airable.role === "segment"),
        held.heldItems!.map(({ id }) => id).sort()
      ]).toEqual([[], [testId("itm", 3), testId("itm", 4)]])
      yield* pass(400, 5)
      const after = yield* playout.ask(playout.scheduler.hold(false))
      expect(after.heldItems).toEqual([])
      const [late, exact] = [4, 3].map((n) => after.items.find(({ id }) => id === testId("itm", n))!)
      expect([late!.placement._tag, late!.trace.join()]).toEqual([
        "Flow",
        expect.stringContaining("its start passed while contributions were held")
      ])
      expect(exact!.startSample).toBe(sampleOf(startMs + 1_200_000))
      yield* pass(1_000, 5)
      expect([3, 4].map((n) => store.segments.get(airable("segment", n, 30).segmentId!)!.state)).toEqual([
        "aired",
        "aired"
      ])
    })
  )

  it.effect("F8: skips items that can't be staged, without silence", () =>
    Effect.gen(function* () {
      const { start, store, studio } = yield* station
      const { air, playout } = yield* start
      yield* pass(60)
      const segment = airable("segment", 4, 30)
      store.submit(segment, assetOf(segment))
      studio.broken.set(segment.assetId, "truncated")
      yield* playout.ask(playout.scheduler.enqueue(segment.segmentId!))
      const songs = [...store.tracks.values()].slice(0, 4)
      for (const track of songs) air.refuse.add(track.assetId)
      yield* pass(900)
      expect(
        air.spans.some(
          (span) =>
            span.itemId !== null &&
            store.asRun.some((row) => row.itemId === span.itemId && row.segmentId === segment.segmentId)
        )
      ).toBe(false)
      const silent = air.spans.filter((span) => span.itemId === null && span.firstSample > air.spans[2]!.lastSample)
      expect(silent.reduce((sum, span) => sum + span.lastSample - span.firstSample, 0) / 48_000).toBeLessThan(15)
    })
  )

  it.effect("F5: a minute without the database changes nothing on the air and loses nothing", () =>
    Effect.gen(function* () {
      const { start, store } = yield* station
      const { air } = yield* start
      yield* pass(60)
      const known = store.asRun.length
      store.down = true
      yield* pass(400)
      expect(store.asRun.length).toBe(known)
      expect(air.onAir()).not.toBeNull()
      store.down = false
      yield* pass(30)
      const heard = air.spans.filter((span) => span.itemId !== null)
      expect(heard.length).toBeGreaterThan(3)
      for (const span of heard) expect(store.asRun.filter((row) => row.itemId === span.itemId)).toHaveLength(1)
    })
  )

  it.effect("F5: a crash during that minute loses nothing", () =>
    Effect.gen(function* () {
      const { start, store } = yield* station
      const first = yield* Scope.make()
      const { air } = yield* Scope.provide(start, first)
      yield* pass(60)
      store.down = true
      yield* pass(300)
      yield* Scope.close(first, Exit.void)
      store.down = false
      yield* start
      yield* pass(20)
      for (const span of air.spans.filter((span) => span.itemId !== null))
        expect(store.asRun.filter((row) => row.itemId === span.itemId)).toHaveLength(1)
    })
  )

  it.effect("F3: the item on the air at a kill is logged as cut, and never twice as complete", () =>
    Effect.gen(function* () {
      const { start, store } = yield* station
      const first = yield* Scope.make()
      const { air, playout } = yield* Scope.provide(start, first)
      yield* pass(60)
      const segment = airable("segment", 5, 200)
      store.submit(segment, assetOf(segment))
      yield* playout.ask(playout.scheduler.enqueue(segment.segmentId!))
      for (let i = 0; i < 400 && air.onAir()?.sound.assetId !== segment.assetId; i++) yield* pass(1)
      yield* pass(30)
      const killed = air.onAir()!
      yield* Scope.close(first, Exit.void)
      yield* pass(10)
      const again = yield* start
      expect(store.asRun.find((row) => row.itemId === killed.itemId)).toMatchObject({ outcome: "cut" })
      yield* pass(2)
      expect(again.air.onAir()).not.toBeNull()
      yield* pass(900)
      expect(store.segments.get(segment.segmentId!)).toMatchObject({ state: "aired", complete: true, cuts: 1 })
      expect(store.asRun.filter((row) => row.segmentId === segment.segmentId).map((row) => row.outcome)).toEqual([
        "cut",
        "complete"
      ])
      expect(store.asRun.some((row) => row.outcome === "off_air")).toBe(true)
      checkAccounted(store.asRun)
      const complete = store.asRun.filter((row) => row.outcome === "complete").map((row) => row.itemId)
      expect(new Set(complete).size).toBe(complete.length)
    })
  )

  it.effect("F13: a wall clock changed by an hour moves no programme", () =>
    Effect.gen(function* () {
      const { start, store } = yield* station
      const { air, bus, playout } = yield* start
      yield* pass(120)
      const onAir = air.onAir()!
      const planned = (yield* playout.scheduler.state).items.slice(0, 6).map((item) => [item.id, item.startSample])
      const block = yield* bus.get("currentBlock")
      air.wall.setByMs += 3_600_000
      yield* TestClock.adjust(3_600_000)
      yield* pass(1)
      expect(air.onAir()!.itemId).toBe(onAir.itemId)
      expect((yield* playout.scheduler.state).items.slice(0, 6).map((item) => [item.id, item.startSample])).toEqual(
        planned
      )
      expect(yield* bus.get("currentBlock")).toEqual(block)
      yield* pass(300)
      checkAccounted(store.asRun)
      expect(air.spans.filter((span) => span.itemId === null).length).toBeLessThan(3)
    })
  )

  it.effect("F16: a step that dies is answered once, and the next one runs", () =>
    Effect.gen(function* () {
      const { start } = yield* station
      const { playout } = yield* start
      yield* pass(30)
      const before = yield* playout.scheduler.state
      const poison = yield* Effect.exit(playout.ask(Effect.die(new Error("poison"))))
      expect(Exit.isFailure(poison)).toBe(true)
      const after = yield* playout.ask(playout.scheduler.replan)
      expect(after.revision).toBeGreaterThan(before.revision)
    })
  )

  it.effect("F4: a replaced incarnation writes nothing", () =>
    Effect.gen(function* () {
      const { start, store } = yield* station
      const { playout } = yield* start
      yield* pass(60)
      store.fence += 1
      const rows = store.asRun.length
      const refused = yield* Effect.exit(playout.ask(playout.scheduler.replan))
      expect(Exit.isFailure(refused)).toBe(true)
      yield* pass(300)
      expect(store.asRun.length).toBe(rows)
    })
  )
})
