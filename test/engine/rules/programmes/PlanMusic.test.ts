import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { artistSeparationMs, planOverMaxSec } from "../../../../engine/rules/air/limits.ts"
import { planFillToleranceSec } from "../../../../engine/rules/programmes/limits.ts"
import { fillMusic } from "../../../../engine/rules/programmes/PlanMusic.ts"
import { planFaults, previewOf } from "../../../../engine/rules/programmes/PlanPreview.ts"
import type { ItemId, TrackId } from "../../../../schema/Ids.ts"
import { PlanItem, type PlanItemKind, type PlanStock } from "../../../../schema/programmes/Plan.ts"
import { Airable, Candidate } from "../../../../schema/air/Rundown.ts"
import { airable, testId } from "../../../support/air/Airables.ts"

const startMs = 1_780_000_000_000
const planId = testId("plan", 1)
const genres = ["jazz"]
const song = (n: number, sec: number, genre = "jazz", artist = `artist ${n}`): Candidate =>
  new Candidate({
    airable: new Airable({ ...airable("music", n, sec), genre, artist }),
    rotationClass: n % 3 === 0 ? "contributed" : "house",
    weight: 1,
    lastPlayedMs: null
  })
const item = (kind: PlanItemKind, n: number, over: Partial<PlanItem> = {}): PlanItem =>
  new PlanItem({
    id: testId("itm", n),
    index: 0,
    kind,
    trackId: null,
    segmentId: null,
    uploadId: null,
    scriptText: kind === "talk" ? "word ".repeat(40) : null,
    title: "",
    durationSec: kind === "pause" ? 0.5 : kind === "bed" ? 10 : 0,
    transition: "segue",
    locked: false,
    lazy: false,
    ...over
  })
const stockOf = (songs: ReadonlyArray<Candidate>): PlanStock => ({
  tracks: new Map(songs.map(({ airable: sound }) => [sound.trackId!, sound])),
  known: new Set(songs.map(({ airable: { trackId } }) => trackId!)),
  beds: new Map(),
  segments: new Map(),
  uploads: new Map(),
  idents: [airable("ident", 9_001, 5)],
  houseBeds: [airable("bed", 9_002, 30)]
})
const ids = Array.from({ length: 120 }, (_, n): ItemId => testId("itm", 1_000 + n))
/** This many songs, all different. */
const words = (count: number) => Array.from({ length: count }, (_, n) => `word${n}`).join(" ")
const airtime = { atMs: startMs, shares: [{ leftSec: 7_200, perDaySec: 7_200, promised: [] }] }
const numbered = (items: ReadonlyArray<PlanItem>) => items.map((each, index) => new PlanItem({ ...each, index }))
const fill = (items: ReadonlyArray<PlanItem>, songs: ReadonlyArray<Candidate>, targetDurationSec: number) =>
  fillMusic({
    planId,
    startMs,
    targetDurationSec,
    items: numbered(items),
    stock: stockOf(songs),
    candidates: songs,
    plays: [],
    genres,
    newIds: ids
  })
const tracksOf = (items: ReadonlyArray<PlanItem>) => items.flatMap(({ trackId }) => trackId ?? [])
const kinds = fc.array(fc.constantFrom<PlanItemKind>("talk", "track", "station_id", "pause", "bed"), { maxLength: 12 })
const lengths = (min: number) =>
  fc.array(fc.double({ min: 100, max: 280, noNaN: true }), { minLength: min, maxLength: 70 })
/** Items of these kinds; tracks are taken from the end of the library. */
const itemsOf = (of: ReadonlyArray<PlanItemKind>, songs: ReadonlyArray<Candidate>) =>
  of.map((kind, n) =>
    item(
      kind,
      n,
      kind === "track" ? { trackId: songs[songs.length - 1 - (n % songs.length)]!.airable.trackId as TrackId } : {}
    )
  )
describe("music that fills a plan", () => {
  it("goes between and after the items, no track twice, and reports the missing time", () =>
    fc.assert(
      fc.property(kinds, lengths(1), fc.integer({ min: 300, max: 7_200 }), (of, secs, target) => {
        const songs = secs.map((sec, n) => song(n, sec))
        const items = itemsOf(of, songs)
        const own = tracksOf(items)
        const made = fill(items, songs, target)
        const added = made.items.filter(({ lazy }) => lazy)
        expect(made.items.filter(({ lazy }) => !lazy).map(({ id }) => id)).toEqual(items.map(({ id }) => id))
        expect(made.items.map(({ index }) => index)).toEqual(made.items.map((_, index) => index))
        expect([
          added.length,
          new Set(tracksOf(added)).size,
          tracksOf(added).filter((id) => own.includes(id)).length
        ]).toEqual([made.added, made.added, 0])
        const before = previewOf(
          {
            id: planId,
            title: "",
            format: null,
            startMs,
            musicToComeSec: 0,
            targetDurationSec: target,
            items: numbered(items)
          },
          stockOf(songs),
          { overrunPolicy: "trim", airtime }
        )
        const after = previewOf(
          {
            id: planId,
            title: "",
            format: null,
            startMs,
            musicToComeSec: 0,
            targetDurationSec: target,
            items: made.items
          },
          stockOf(songs),
          { overrunPolicy: "trim", airtime }
        )
        expect(Math.abs(after.driftSec + made.gapSec)).toBeLessThan(0.01)
        if (before.plannedDurationSec <= target) expect(made.gapSec).toBeGreaterThanOrEqual(-planFillToleranceSec)
        else expect(made.added).toBe(0)
        // Repeating it has the same result: the station replaces its own picks, and the draw is deterministic.
        expect(tracksOf(fill(made.items, songs, target).items)).toEqual(tracksOf(made.items))
      }),
      { numRuns: 60 }
    ))

  const shelf = (secs: ReadonlyArray<number>, artists: number) =>
    secs.map((sec, n) =>
      song(n, 110 + ((sec + n * 37.7) % 150), n % 4 === 0 ? "techno" : "jazz", `artist ${n % artists}`)
    )
  const spoken = fc.array(fc.constantFrom<PlanItemKind>("talk", "station_id"), { maxLength: 8 })

  it("fits within ten seconds if the library is large enough", () =>
    fc.assert(
      fc.property(spoken, lengths(60), fc.integer({ min: 1_200, max: 5_400 }), (of, secs, target) => {
        const songs = shelf(secs, secs.length)
        expect(Math.abs(fill(itemsOf(of, songs), songs, target).gapSec)).toBeLessThanOrEqual(planFillToleranceSec)
      }),
      { numRuns: 40 }
    ))

  it("keeps artists apart, even if that leaves a gap", () =>
    fc.assert(
      fc.property(spoken, lengths(60), fc.integer({ min: 1_200, max: 5_400 }), (of, secs, target) => {
        const songs = shelf(secs, 40)
        const made = fill(itemsOf(of, songs), songs, target)
        const preview = previewOf(
          {
            id: planId,
            title: "",
            format: null,
            startMs,
            musicToComeSec: 0,
            targetDurationSec: target,
            items: made.items
          },
          stockOf(songs),
          { overrunPolicy: "trim", airtime }
        )
        const plays = preview.timeline.flatMap(({ itemId, startAt }) => {
          const artist = songs.find(
            ({ airable: { trackId } }) => trackId === made.items.find(({ id }) => id === itemId)!.trackId
          )?.airable.artist
          return artist == null ? [] : [{ artist, atMs: Date.parse(startAt) }]
        })
        // An item before a song may move it by a talk-over, and by no more.
        for (const [i, play] of plays.entries())
          for (const other of plays.slice(i + 1))
            if (other.artist === play.artist)
              expect(Math.abs(other.atMs - play.atMs)).toBeGreaterThanOrEqual(
                artistSeparationMs - planOverMaxSec * 1_000
              )
      }),
      { numRuns: 40 }
    ))

  it("replaces the station's earlier picks, but no locked items", () => {
    const songs = Array.from({ length: 60 }, (_, n) => song(n, 130 + n * 2.3))
    const first = fill([item("talk", 1)], songs, 3_600)
    const [, locked, ...rest] = first.items
    const second = fill([first.items[0]!, new PlanItem({ ...locked!, locked: true }), ...rest], songs.slice(30), 3_600)
    expect(second.items.filter(({ lazy, locked }) => !lazy || locked).map(({ id }) => id)).toEqual([
      first.items[0]!.id,
      locked!.id
    ])
    expect(Math.abs(second.gapSec)).toBeLessThanOrEqual(planFillToleranceSec)
    // The first half in the block's genre: jazz is available throughout.
    const mixed = fill(
      [],
      songs.map(
        (each, n) =>
          new Candidate({ ...each, airable: new Airable({ ...each.airable, genre: n < 45 ? "jazz" : "metal" }) })
      ),
      1_800
    )
    expect(
      mixed.items.filter(({ trackId }) => songs.findIndex(({ airable: sound }) => sound.trackId === trackId) >= 45)
        .length
    ).toBeLessThanOrEqual(1)
  })
})
describe("a preview", () => {
  it("lists all audible items in order, without overlapping voices, and is valid without faults", () =>
    fc.assert(
      fc.property(kinds, lengths(1), fc.integer({ min: 60, max: 7_200 }), (of, secs, target) => {
        const songs = secs.map((sec, n) => song(n, sec))
        const plan = {
          id: planId,
          title: "",
          format: null,
          startMs,
          musicToComeSec: 0,
          targetDurationSec: target,
          items: numbered(itemsOf(of, songs))
        }
        const stock = stockOf(songs)
        const preview = previewOf(plan, stock, { overrunPolicy: "trim", airtime })
        expect(preview.timeline.map(({ startOffsetSec }) => startOffsetSec)).toEqual(
          preview.timeline.map(({ startOffsetSec }) => startOffsetSec).sort((a, b) => a - b)
        )
        expect(
          preview.timeline.every(({ durationSec, startOffsetSec }) => startOffsetSec >= 0 && durationSec > 0)
        ).toBe(true)
        let voiceUntil = 0
        for (const row of preview.timeline.filter(({ kind }) => kind === "talk" || kind === "station_id")) {
          expect(row.startOffsetSec).toBeGreaterThanOrEqual(voiceUntil - 0.01)
          voiceUntil = row.startOffsetSec + row.durationSec
        }
        expect(preview.plannedDurationSec).toBeCloseTo(
          Math.max(0, ...preview.timeline.map(({ durationSec, startOffsetSec }) => startOffsetSec + durationSec)),
          2
        )
        expect(preview.valid).toBe(planFaults(plan, stock, airtime).length === 0)
        if (preview.valid)
          expect([preview.driftSec <= planOverMaxSec, preview.driftSec >= -0.25 * target]).toEqual([true, true])
      }),
      { numRuns: 80 }
    ))

  it("lists each fault", () => {
    const songs = Array.from({ length: 4 }, (_, n) => song(n, 200))
    const codes = (
      items: ReadonlyArray<PlanItem>,
      over: {
        readonly format?: "talk" | null
        readonly musicToComeSec?: number
        readonly targetDurationSec?: number
      } = {}
    ) =>
      planFaults(
        {
          id: planId,
          title: "",
          format: null,
          startMs,
          musicToComeSec: 0,
          targetDurationSec: 600,
          items: numbered(items),
          ...over
        },
        stockOf(songs),
        airtime
      ).map(({ code, pointer }) => [pointer, code])
    const track = (n: number, at: number) => item("track", at, { trackId: testId("trk", n) })
    expect(codes([])).toEqual([["/items", "NO_ITEMS"]])
    expect(codes([0, 1, 2].map((n) => track(n, n)))).toEqual([])
    expect(codes([track(0, 0), track(1, 1), track(1, 2)])).toEqual([["/items/2", "SAME_TRACK_TWICE"]])
    expect(codes([track(0, 0), track(99, 1), track(2, 2), track(3, 3)])).toEqual([["/items/1", "TRACK_UNKNOWN"]])
    expect(codes([track(0, 0)])).toEqual([["/items", "TOO_SHORT"]])
    // Music that the house composes before the run begins counts as available.
    expect([codes([], { musicToComeSec: 600 }), codes([track(0, 0)], { musicToComeSec: 400 })]).toEqual([[], []])
    expect(codes([track(0, 0)], { musicToComeSec: 100 })).toEqual([["/items", "TOO_SHORT"]])
    expect(
      codes(
        [0, 1, 2, 3].map((n) => track(n, n)),
        { targetDurationSec: 600 }
      )
    ).toEqual([["/items", "TOO_LONG"]])
    const long = item("talk", 7, { scriptText: words(1_100) })
    expect(codes([long, track(0, 1)])).toEqual([["/items", "TOO_MUCH_SPEECH"]])
    expect(codes([long, track(0, 1)], { format: "talk" })).toEqual([])
    expect(codes([long], { musicToComeSec: 1_200, targetDurationSec: 1_700 })).toEqual([])
    expect(
      codes([item("talk", 7, { scriptText: words(1_300) }), track(0, 1)], { format: "talk" }).map(([, code]) => code)
    ).toContain("SCRIPT_TOO_LONG")
    // More than seven minutes to read, on a day with five minutes left: airtime of the next day comes too late for this run.
    const shape = {
      id: planId,
      title: "",
      format: "talk",
      startMs,
      musicToComeSec: 0,
      targetDurationSec: 600,
      items: numbered([long, track(0, 1)])
    } as const
    const onDay = (atMs: number) => {
      const short = { atMs, shares: [{ leftSec: 300, perDaySec: 7_200, promised: [] }] }
      return [
        planFaults(shape, stockOf(songs), short),
        previewOf(shape, stockOf(songs), { overrunPolicy: "trim", airtime: short }).warnings
      ].map((all) => all.map(({ code }) => code))
    }
    expect(onDay(startMs - 7_200_000)[0]).toEqual(["NO_AIRTIME"])
    expect(onDay(startMs - 86_400_000)).toEqual([[], expect.arrayContaining(["READ_ANOTHER_DAY"])])
  })
})
