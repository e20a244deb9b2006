import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Exit, Scope } from "effect"
import { TestClock } from "effect/testing"
import { auditOf, type HeardAnnouncement } from "../../../engine/rules/air/AnnouncementAudit.ts"
import { grammar } from "../../../engine/rules/air/AnnouncementGrammar.ts"
import { clockFact, loreFact } from "../../../engine/rules/air/Facts.ts"
import { announcedItemId } from "../../../engine/rules/air/Planner.ts"
import { textOf } from "../../../schema/air/Announcement.ts"
import type { AnnouncementId } from "../../../schema/Ids.ts"
import { msOf } from "../../../schema/time/Samples.ts"
import { type AirDouble, makeAirDouble } from "../../support/air/AirDouble.ts"
import { testId } from "../../support/air/Airables.ts"
import { makeMemoryStore, type MemoryStore } from "../../support/air/MemoryStore.ts"
import { noon, pass, startPlayout } from "../../support/air/Playout.ts"
import { makeStudioDouble } from "../../support/air/StudioDouble.ts"

const minute = 60
const patterns = new Set(Object.values(grammar).flat())
const lore = (n: number, title: string) => loreFact({ id: testId("lore", n), title, category: "joke" })!

/** What was heard, in order, with the announcement of each span. */
const heardOf = (store: MemoryStore, air: AirDouble) =>
  air.spans
    .toSorted((a, b) => a.firstSample - b.firstSample)
    .map((span) => {
      const row = [...store.announcements.rows.values()].find(
        ({ id }) => announcedItemId(id as AnnouncementId) === span.itemId
      )
      return { span, row, item: store.asRun.find(({ firstSample }) => firstSample === span.firstSample) }
    })
const announced = (store: MemoryStore, air: AirDouble): ReadonlyArray<HeardAnnouncement> =>
  heardOf(store, air).flatMap(({ row, span }) =>
    row === undefined
      ? []
      : [
          {
            kind: row.kind,
            atMs: msOf(span.firstSample),
            lengthMs: (span.lastSample - span.firstSample) / 48,
            sentences: row.sentences
          }
        ]
  )

describe("the station's own words on the air", () => {
  it.effect(
    "are heard where they are true: after a song that aired, before the item that follows, within their minute",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(noon)
        const store = makeMemoryStore()
        store.announcements.news.push(lore(1, "The Night the Kettle Sang"), lore(2, "Two Owls on Air"))
        const { air } = yield* startPlayout({ store, studio: makeStudioDouble() })
        yield* pass(30)
        const [wished] = [...store.tracks.values()].filter(({ rotationClass }) => rotationClass === "house").slice(-2)
        store.request(wished!.id, noon, "Noor")
        yield* pass(50 * minute)
        const heard = heardOf(store, air)
        const words = announced(store, air)
        // What found no place is dropped in time: it counts for no minutes and hides no phrase.
        const nowMs = yield* Clock.currentTimeMillis
        expect(
          [...store.announcements.rows.values()].filter(
            ({ state, validUntilMs }) => state === "ready" && validUntilMs < nowMs - 10_000
          )
        ).toEqual([])
        for (const kind of ["time_check", "back_announcement", "preview", "station_news"])
          expect(words.map((one) => one.kind)).toContain(kind)
        expect(words.length).toBeGreaterThan(4)
        // Nothing airs twice, no voice over a voice, and no word is cut.
        const ids = heard.flatMap(({ row }) => row?.id ?? [])
        expect(new Set(ids).size).toBe(ids.length)
        let voiceUntil = 0
        heard.forEach(({ item, row, span }, i) => {
          if (item?.role === "filler" || item?.role === "ident" || item?.role === "hour_call") {
            expect(span.firstSample).toBeGreaterThanOrEqual(voiceUntil)
            voiceUntil = span.lastSample
          }
          if (row === undefined) return
          expect(span.complete).toBe(true)
          const before = heard.slice(0, i).findLast((one) => one.item?.role === "music")!
          const after = heard[i + 1]
          if (row.afterItemId !== null) {
            expect(before.span.itemId).toBe(row.afterItemId)
            expect(before.span.complete).toBe(true)
            expect(before.item?.trackId).toBe(row.sentences[0]!.fact.id)
            expect(span.firstSample).toBeGreaterThan(before.span.lastSample)
          }
          if (row.beforeItemId !== null && after !== undefined) {
            expect(after.span.itemId).toBe(row.beforeItemId)
            expect(after.item?.trackId).toBe(row.sentences[0]!.fact.id)
          }
        })
        const figures = auditOf(words, {
          approved: (key) =>
            [...store.announcements.rows.values()]
              .flatMap(({ sentences }) => sentences.map(({ fact }) => fact))
              .find((fact) => `${fact.kind}:${fact.id}` === key) ?? null,
          clockAt: (atMs) => clockFact("UTC", Math.floor(atMs / 60_000) * 60_000),
          patterns
        })
        expect(figures).toMatchObject({ repeated: [], ungrounded: [] })
      })
  )

  it.effect(
    "are never heard when their fact was corrected or withdrawn, their song skipped, or their kind switched off",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(noon)
        const store = makeMemoryStore()
        const { air, playout } = yield* startPlayout({ store, studio: makeStudioDouble() })
        const ready = () => [...store.announcements.rows.values()].filter(({ state }) => state === "ready")
        const planned = Effect.fnUntraced(function* (kind: string) {
          for (let sec = 0; sec < 90 * minute; sec++) {
            yield* pass(1)
            const one = ready().find((row) => row.kind === kind)
            const { items, onAir } = yield* playout.scheduler.state
            if (
              one !== undefined &&
              items.some(({ id }) => id === announcedItemId(one.id as AnnouncementId)) &&
              (one.afterItemId === null || one.afterItemId === onAir?.id)
            )
              return one
          }
          throw new Error(`no ${kind} was planned`)
        })
        const first = yield* planned("back_announcement")
        const id = first.sentences[0]!.fact.id
        const track = store.tracks.get(id)!
        store.tracks.set(id, { ...track, title: "Another Title" } as typeof track)
        yield* pass(6)
        expect(first).toMatchObject({ state: "dropped", reason: "FACT_CHANGED" })
        const second = yield* planned("back_announcement")
        yield* playout.ask(playout.scheduler.skip(null))
        yield* pass(6)
        expect(second.state).not.toBe("aired")
        const third = yield* planned("preview")
        store.announcements.off.add("preview")
        yield* pass(10 * minute)
        expect(third).toMatchObject({ state: "dropped", reason: "SWITCHED_OFF" })
        const heard = new Set(air.spans.map(({ itemId }) => itemId))
        for (const row of [first, second, third])
          expect(heard.has(announcedItemId(row.id as AnnouncementId))).toBe(false)
        // An operator's removal is final, too.
        const fourth = yield* planned("back_announcement")
        yield* playout.ask(playout.scheduler.drop(announcedItemId(fourth.id as AnnouncementId)))
        yield* pass(10 * minute)
        expect(fourth).toMatchObject({ state: "dropped", reason: "TAKEN_OUT" })
        expect(textOf(fourth.sentences).length).toBeGreaterThan(3)
      })
  )

  it.effect("air once, wherever the station is killed", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const store = makeMemoryStore()
      const shared = yield* makeAirDouble
      for (let kill = 0; kill < 14; kill++) {
        const scope = yield* Scope.make()
        yield* Scope.provide(startPlayout({ store, studio: makeStudioDouble(), airs: Effect.succeed(shared) }), scope)
        // At other instants of an announcement's life each time: before, while and after it sounds.
        yield* pass(200 + ((kill * 37) % 53) * 4)
        yield* Scope.close(scope, Exit.void)
      }
      const said = shared.spans.flatMap(({ itemId }) =>
        [...store.announcements.rows.values()].some(({ id }) => announcedItemId(id as AnnouncementId) === itemId)
          ? [itemId]
          : []
      )
      expect(said.length).toBeGreaterThan(5)
      expect(new Set(said).size).toBe(said.length)
    })
  )
})
