import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { revise } from "../../../engine/rules/air/Rundown.ts"
import { msOf } from "../../../schema/time/Samples.ts"
import { faultsIn } from "../../../engine/rules/air/ItemSequence.ts"
import type { SongRequestId, TrackId } from "../../../schema/Ids.ts"
import type { RundownItem } from "../../../schema/air/Rundown.ts"
import { makeMemoryStore } from "../../support/air/MemoryStore.ts"
import { noon, pass, startPlayout } from "../../support/air/Playout.ts"
import { makeStudioDouble } from "../../support/air/StudioDouble.ts"

const station = Effect.gen(function* () {
  yield* TestClock.setTime(noon)
  const store = makeMemoryStore()
  const studio = makeStudioDouble()
  const start = startPlayout({ store, studio })
  return { store, studio, start }
})
/** Songs outside the rotation: they air only on request. */
const stock = (store: ReturnType<typeof makeMemoryStore>, count: number): ReadonlyArray<TrackId> => {
  const [model] = store.tracks.values()
  return Array.from({ length: count }, (_, n) => {
    const [id, assetId] = [
      `${model!.id.slice(0, -2)}z${"0123456789abcdef"[n]!}`,
      `${model!.assetId.slice(0, -2)}z${"0123456789abcdef"[n]!}`
    ]
    store.assets.set(assetId, { ...store.assets.get(model!.assetId)!, id: assetId })
    store.tracks.set(id, { ...model!, id, assetId, title: `Song ${n}`, rotationClass: "shelf" })
    return id
  })
}
const itemOf = (items: ReadonlyArray<RundownItem>, id: SongRequestId) =>
  items.find((item) => item.songRequestIds?.includes(id))
describe("a song that was asked for", () => {
  it.effect("is placed at once, heard at its slot, logged with its request, and fulfilled by what was heard", () =>
    Effect.gen(function* () {
      const { start, store } = yield* station
      const { playout } = yield* start
      yield* pass(60)
      const [wanted] = stock(store, 1)
      const id = store.request(wanted!, noon + 60_000)
      yield* playout.placeRequests
      const { items } = yield* playout.scheduler.state
      const item = itemOf(items, id)!
      expect(faultsIn(items)).toEqual([])
      expect(item.trace).toContain("request: a listener asked for it")
      expect(store.requests.get(id)).toMatchObject({
        status: "scheduled",
        itemId: item.id,
        atMs: msOf(item.startSample)
      })
      // Before all music that can still be moved.
      expect(
        items.slice(0, items.indexOf(item)).filter(({ airable }) => airable.role === "music").length
      ).toBeLessThanOrEqual(1)
      yield* pass(Math.ceil((msOf(item.startSample) - noon - 60_000) / 1_000) + 240)
      expect(store.requests.get(id)).toMatchObject({ status: "fulfilled", moves: ["scheduled", "fulfilled"] })
      const rows = store.asRun.filter((row) => row.songRequestIds?.includes(id))
      expect(rows.map((row) => [row.itemId, row.trackId, row.outcome])).toEqual([[item.id, wanted, "complete"]])
      expect(Math.abs(msOf(rows[0]!.firstSample) - msOf(item.startSample))).toBeLessThan(15_000)
      // Only once: it isn't planned again.
      expect(itemOf((yield* playout.scheduler.state).items, id)).toBeUndefined()
    })
  )

  it.effect(
    "is heard for everybody who asked, where it is planned anyway",
    () =>
      Effect.gen(function* () {
        const { start, store } = yield* station
        const { playout } = yield* start
        yield* pass(60)
        const before = (yield* playout.scheduler.state).items
        const planned = before.findLast(({ airable }) => airable.role === "music")!
        const ids = ["Ada", "Bo", "Cy"].map((label) => store.request(planned.airable.trackId!, noon + 60_000, label))
        yield* playout.placeRequests
        const item = (yield* playout.scheduler.state).items.find((one) => one.id === planned.id)!
        expect(item.songRequestIds).toEqual(ids)
        for (const id of ids) expect(store.requests.get(id)).toMatchObject({ status: "scheduled", itemId: planned.id })
        // Replans keep it until it was heard.
        yield* pass(2_100, 5)
        for (const id of ids) expect(store.requests.get(id)!.moves).toEqual(["scheduled", "fulfilled"])
      }),
    300_000
  )

  it.effect(
    "is one of three in an hour, and the fourth is told when it will come",
    () =>
      Effect.gen(function* () {
        const { start, store } = yield* station
        const { bus, playout } = yield* start
        yield* pass(60)
        const ids = stock(store, 5).map((track) => store.request(track, noon + 60_000))
        yield* playout.placeRequests
        const { items } = yield* playout.scheduler.state
        expect(ids.map((id) => itemOf(items, id) !== undefined)).toEqual([true, true, true, false, false])
        const forecasts = (yield* bus.get("songForecasts"))!
        const first = msOf(itemOf(items, ids[0]!)!.startSample)
        const fourth = forecasts.get(ids[3]!)!
        expect(fourth.reason).toBe("request_quota")
        expect(fourth.playAtMs! - first).toBeGreaterThanOrEqual(3_600_000)
        expect(fourth.playAtMs! - first).toBeLessThan(3_600_000 + 600_000)
        yield* pass(4_500, 10)
        expect(store.requests.get(ids[3]!)!.status).toBe("fulfilled")
        const started = store.asRun
          .filter((row) => row.songRequestIds !== undefined)
          .map((row) => msOf(row.firstSample))
        for (const at of started)
          expect(started.filter((other) => other >= at && other < at + 3_600_000).length).toBeLessThanOrEqual(3)
        // The announced time was right within minutes.
        expect(Math.abs(started[3]! - fourth.playAtMs!)).toBeLessThan(600_000)
      }),
    300_000
  )

  it.effect(
    "waits where it was just heard, and says that this is why",
    () =>
      Effect.gen(function* () {
        const { start, store } = yield* station
        const { bus, playout } = yield* start
        yield* pass(60)
        const [track] = stock(store, 1)
        const first = store.request(track!, noon + 60_000)
        yield* playout.placeRequests
        const heardMs = store.requests.get(first)!.atMs!
        yield* pass(900, 5)
        expect(store.requests.get(first)!.status).toBe("fulfilled")
        const id = store.request(track!, noon + 960_000)
        yield* playout.placeRequests
        expect(store.requests.get(id)!.status).toBe("pending")
        const forecast = (yield* bus.get("songForecasts"))!.get(id)!
        expect(forecast.reason).toBe("separation")
        expect(forecast.playAtMs! - heardMs).toBeGreaterThan(7_200_000 - 30_000)
        expect(forecast.playAtMs! - heardMs).toBeLessThan(7_200_000 + 600_000)
      }),
    300_000
  )

  it.effect("has no time while nothing planned is heard, and none while contributions are held", () =>
    Effect.gen(function* () {
      const { start, store } = yield* station
      const { bus, playout } = yield* start
      yield* pass(60)
      const [one, two] = stock(store, 2)
      yield* playout.ask(playout.scheduler.emergency(true, "test"))
      const first = store.request(one!, noon + 60_000)
      yield* playout.placeRequests
      expect([(yield* bus.get("songForecasts"))!.get(first), store.requests.get(first)!.status]).toEqual([
        { playAtMs: null, reason: null },
        "pending"
      ])
      yield* playout.ask(playout.scheduler.emergency(false, "test"))
      yield* pass(10)
      expect(store.requests.get(first)!.status).toBe("scheduled")
      yield* playout.ask(playout.scheduler.hold(true))
      const second = store.request(two!, noon + 80_000)
      yield* playout.placeRequests
      expect([
        (yield* bus.get("songForecasts"))!.get(second),
        store.requests.get(second)!.status,
        store.requests.get(first)!.status
      ]).toEqual([{ playAtMs: null, reason: null }, "pending", "scheduled"])
      yield* playout.ask(playout.scheduler.hold(false))
      yield* pass(10)
      expect(store.requests.get(second)!.status).toBe("scheduled")
    })
  )

  it.effect("waits again when it loses its place, twice, and is cancelled the third time", () =>
    Effect.gen(function* () {
      const { start, store } = yield* station
      const { playout } = yield* start
      yield* pass(60)
      const id = store.request(stock(store, 1)[0]!, noon + 60_000)
      yield* playout.placeRequests
      for (const status of ["pending", "pending", "cancelled"]) {
        const item = itemOf((yield* playout.scheduler.state).items, id)!
        yield* playout.ask(playout.scheduler.drop(item.id))
        expect(store.requests.get(id)!.status).toBe(status)
        yield* pass(12)
      }
      expect(itemOf((yield* playout.scheduler.state).items, id)).toBeUndefined()
      expect(store.requests.get(id)!.moves).toEqual([
        "scheduled",
        "pending",
        "scheduled",
        "pending",
        "scheduled",
        "cancelled"
      ])
    })
  )

  it.effect("waits again when it was skipped before thirty seconds of it were heard", () =>
    Effect.gen(function* () {
      const { start, store } = yield* station
      const { playout } = yield* start
      yield* pass(60)
      const id = store.request(stock(store, 1)[0]!, noon + 60_000)
      yield* playout.placeRequests
      yield* playout.ask(
        playout.scheduler.promote(
          "itm_00000000000000000000000001",
          id,
          itemOf((yield* playout.scheduler.state).items, id)!.airable
        )
      )
      yield* playout.ask(playout.scheduler.skip(null))
      expect(
        (yield* playout.scheduler.state).items[0]!.songRequestIds ??
          (yield* playout.scheduler.state).onAir!.songRequestIds
      ).toEqual([id])
      yield* pass(20)
      expect((yield* playout.scheduler.state).onAir!.songRequestIds).toEqual([id])
      yield* playout.ask(playout.scheduler.skip(null))
      yield* pass(10)
      expect(store.requests.get(id)!.moves).toEqual(["scheduled", "pending"])
    })
  )

  it.effect("leaves the rundown when it was withdrawn, cancelled, or has waited too long", () =>
    Effect.gen(function* () {
      const { start, store } = yield* station
      const { playout } = yield* start
      yield* pass(60)
      const [one, two] = stock(store, 2)
      const [first, second] = [store.request(one!, noon + 60_000), store.request(two!, noon + 60_000)]
      yield* playout.placeRequests
      store.tracks.set(one!, { ...store.tracks.get(one!)!, approvalStatus: "held" })
      Object.assign(store.requests.get(second)!.airing, { state: "withdrawn" })
      yield* playout.placeRequests
      yield* pass(35)
      expect(store.requests.get(first)!.status).toBe("cancelled")
      const { items } = yield* playout.scheduler.state
      expect([itemOf(items, first), itemOf(items, second)]).toEqual([undefined, undefined])
      expect(items.some(({ airable }) => airable.trackId === one || airable.trackId === two)).toBe(false)
    })
  )

  it.effect.each(["the mark", "the rundown"])(
    "survives a station that is killed before %s was saved, and has one place and one airing",
    (lost) =>
      Effect.gen(function* () {
        const { start, store } = yield* station
        const id = yield* Effect.scoped(
          Effect.gen(function* () {
            const { playout } = yield* start
            yield* pass(10)
            const id = store.request(stock(store, 1)[0]!, noon + 10_000)
            yield* playout.placeRequests
            return id
          })
        )
        if (lost === "the mark") Object.assign(store.requests.get(id)!.airing, { state: "waiting" })
        else
          store.rundown = revise(store.rundown!, {
            items: store.rundown!.items.filter((item) => item.songRequestIds === undefined)
          })
        const { playout } = yield* start
        yield* pass(10)
        const { items, onAir } = yield* playout.scheduler.state
        expect(store.requests.get(id)!.status).toBe("scheduled")
        expect([onAir, ...items].filter((item) => item?.songRequestIds?.includes(id) === true)).toHaveLength(1)
        yield* pass(600, 2)
        expect(store.requests.get(id)!.status).toBe("fulfilled")
        expect(store.asRun.filter((row) => row.songRequestIds?.includes(id))).toHaveLength(1)
      }),
    300_000
  )

  it.effect(
    "F5: is not lost while the database is away, neither when it is asked for nor when it is heard",
    () =>
      Effect.gen(function* () {
        const { start, store } = yield* station
        const { playout } = yield* start
        yield* pass(60)
        const id = store.request(stock(store, 1)[0]!, noon + 60_000)
        store.down = true
        yield* playout.placeRequests
        yield* pass(30)
        store.down = false
        yield* pass(10)
        expect(store.requests.get(id)!.status).toBe("scheduled")
        const { atMs } = store.requests.get(id)!
        yield* pass(Math.ceil((atMs! - noon - 100_000) / 1_000) + 150, 2)
        store.down = true
        yield* pass(90)
        store.down = false
        yield* pass(90)
        expect(store.requests.get(id)!.moves).toEqual(["scheduled", "fulfilled"])
      }),
    300_000
  )
})
