import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { mixLeadMs, rundownAheadSec, rundownItemsMin } from "../../../engine/rules/air/limits.ts"
import { msOf, msToSamples, sampleOf } from "../../../schema/time/Samples.ts"
import { endOf, faultsIn } from "../../../engine/rules/air/ItemSequence.ts"
import { makeAirDouble } from "../../support/air/AirDouble.ts"
import { makeMemoryStore } from "../../support/air/MemoryStore.ts"
import { noon, pass, startPlayout } from "../../support/air/Playout.ts"
import { makeStudioDouble } from "../../support/air/StudioDouble.ts"

/** Music is made at ten times real time, as on a slow or busy machine. */
const pace = 10
describe("a fresh station", () => {
  it.effect("reports the item on the air and its start from the first request: the air chain starts first", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const airs = Effect.tap(makeAirDouble, ({ air }) => Effect.andThen(air.status, pass(6)))
      const { bus } = yield* startPlayout({ store: makeMemoryStore(), studio: makeStudioDouble(pace), airs })
      yield* TestClock.adjust(0)
      const first = yield* bus.get("nowPlaying")
      expect(first).toMatchObject({ displayText: "Longwave", item: { id: null, kind: "filler" } })
      expect(Math.abs(Date.parse(first!.item.startedAt) - noon)).toBeLessThan(1_000)
      expect(first!.item.positionSec).toBeGreaterThan(5)
      expect(first!.item.positionSec).toBeLessThan(7)
    })
  )

  it.effect("airs an ident within seconds and a song as soon as there is one, without repeating itself", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const store = makeMemoryStore()
      const { air } = yield* startPlayout({ store, studio: makeStudioDouble(pace) })
      let songMadeMs: number | null = null
      for (let sec = 0; sec < 900; sec++) {
        yield* pass(1)
        if (store.tracks.size > 0) songMadeMs ??= noon + sec * 1_000
      }
      const heard = air.spans.map((span) => {
        const row = store.asRun.find((one) => one.firstSample === span.firstSample)
        return {
          role: row?.role ?? null,
          assetId: row?.assetId ?? null,
          atMs: msOf(span.firstSample),
          lastMs: msOf(span.lastSample),
          complete: span.complete
        }
      })
      const ident = heard.find(({ role }) => role === "ident")!
      expect(ident.atMs - noon).toBeLessThan(8_000)
      const song = heard.find(({ role }) => role === "music")!
      expect(song.atMs - songMadeMs!).toBeLessThan(8_000)
      // From the first song on: music and speech, never a bed or a gap, and no repeat within ten minutes.
      const after = heard.slice(heard.indexOf(song))
      expect(after.filter(({ role }) => role === "bed" || role === null)).toEqual([])
      const songs = after.filter(({ role }) => role === "music").map(({ assetId }) => assetId)
      expect(songs.length).toBeGreaterThan(4)
      expect(new Set(songs).size).toBe(songs.length)
      // Every item is logged with its own kind, however often the plan around it changes.
      expect(heard.filter(({ role }, i) => role === null && air.spans[i]!.itemId !== null)).toEqual([])
      // At least three songs lie between the words of the house.
      const words = after.findIndex(({ role }) => role === "filler")
      expect(words).toBeGreaterThan(0)
      expect(after.slice(0, words).filter(({ role }) => role === "music").length).toBeGreaterThanOrEqual(3)
      const idents = heard.filter(({ role }) => role === "ident").map(({ atMs }) => atMs)
      for (let i = 2; i < idents.length; i++) expect(idents[i]! - idents[i - 2]!).toBeGreaterThan(60_000)
      // No voice was cut.
      expect(
        heard.filter(({ complete, role }) => !complete && ["ident", "filler", "hour_call"].includes(role ?? ""))
      ).toEqual([])
    })
  )

  it.effect("shows no planned item as on the air before one is heard", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const { air, bus, playout } = yield* startPlayout({ store: makeMemoryStore(), studio: makeStudioDouble(1) })
      for (let sec = 0; sec < 120 && air.onAir() === null; sec++) yield* pass(1)
      expect(air.onAir()).not.toBeNull()
      // The only piece ends or is skipped; then the station's own programme follows.
      yield* playout.ask(playout.scheduler.skip(null))
      for (let sec = 0; sec < 60; sec++) {
        yield* pass(1)
        if (air.onAir() === null) break
      }
      expect(air.onAir()).toBeNull()
      yield* pass(2)
      expect((yield* bus.get("rundown"))!.onAir).toBeNull()
      while (air.onAir() === null) yield* pass(1)
      yield* pass(2)
      expect((yield* bus.get("rundown"))!.onAir?.id).toBe(air.onAir()!.itemId)
    })
  )

  it.effect(
    "has half an hour and a dozen items planned at every instant, from its first song on, and airs each as expected to the sample",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(noon)
        const store = makeMemoryStore()
        const { air, playout } = yield* startPlayout({ store, studio: makeStudioDouble(pace) })
        while (store.tracks.size === 0) yield* pass(1)
        yield* pass(8)
        const expected = new Map<string, number>()
        for (let sec = 0; sec < 1_500; sec++) {
          yield* pass(1)
          const { items } = yield* playout.scheduler.state
          const nowMs = yield* Clock.currentTimeMillis
          expect(items.length, `after ${sec} s`).toBeGreaterThanOrEqual(rundownItemsMin)
          expect(endOf(items.at(-1)!), `after ${sec} s`).toBeGreaterThanOrEqual(
            sampleOf(nowMs) + msToSamples(mixLeadMs + rundownAheadSec * 1_000)
          )
          expect(items.every(({ trace }) => trace.length > 1)).toBe(true)
          expect(faultsIn(items)).toEqual([])
          // The last item before it could no longer be changed.
          if (items[0] !== undefined) expected.set(items[0].id, items[0].startSample)
        }
        const spans = air.spans.filter((span) => span.itemId !== null && expected.has(span.itemId))
        expect(spans.length).toBeGreaterThan(8)
        expect(spans.filter((span) => expected.get(span.itemId!) !== span.firstSample)).toEqual([])
      }),
    300_000
  )
})
