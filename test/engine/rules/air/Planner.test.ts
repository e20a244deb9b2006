import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { planLeadMs, rundownItemsMax, rundownItemsMin } from "../../../../engine/rules/air/limits.ts"
import { blockAt, defaultGrid, wallOf, weekFrom } from "../../../../engine/rules/time/WeekSchedule.ts"
import { compose, type PlanAsk, type Pool } from "../../../../engine/rules/air/Planner.ts"
import { defaultRotation } from "../../../../engine/rules/air/Rotation.ts"
import { msOf, sampleOf } from "../../../../schema/time/Samples.ts"
import { emptyRundown, horizonOf, revise } from "../../../../engine/rules/air/Rundown.ts"
import { cursorAfter, earliestStart, endOf, faultsIn, stepOf } from "../../../../engine/rules/air/ItemSequence.ts"
import { RundownItem } from "../../../../schema/air/Rundown.ts"
import { airable, candidate, testId } from "../../../support/air/Airables.ts"

const now = Date.UTC(2026, 5, 3, 9, 41, 17)
const pool = (songs: number, idents = 3, beds = 2): Pool => ({
  music: Array.from({ length: songs }, (_, i) => candidate(i, 120 + ((i * 37) % 90))),
  idents: Array.from({ length: idents }, (_, i) => airable("ident", 100 + i, 4 + i)),
  hourCalls: Array.from({ length: 24 }, (_, hour) => ({ hour, airable: airable("hour_call", 200 + hour, 5) })),
  beds: Array.from({ length: beds }, (_, i) => airable("bed", 400 + i, 45))
})
const ask = (more: Partial<PlanAsk> = {}): PlanAsk => ({
  nowMs: now,
  zone: "Europe/Berlin",
  week: weekFrom([], 0),
  rules: defaultRotation(3),
  turn: 0,
  cursor: { atSample: sampleOf(now), previous: null, voiceFreeSample: 0 },
  kept: [],
  queued: [],
  pool: pool(14),
  plays: [],
  held: false,
  untilSample: sampleOf(now + 1_800_000),
  itemsMin: rundownItemsMin,
  ...more
})
const hard = (n: number, atMs: number): RundownItem =>
  new RundownItem({
    id: testId("itm", 9_000 + n),
    airable: airable("segment", 500 + n, 30),
    placement: { _tag: "Hard", atMs },
    startSample: sampleOf(atMs),
    locked: true,
    trace: ["inserted"]
  })
const asks = fc
  .record({
    seed: fc.integer(),
    songs: fc.nat(20),
    idents: fc.nat(3),
    beds: fc.nat(2),
    minutes: fc.integer({ min: 0, max: 60 * 24 * 365 }),
    segments: fc.array(fc.integer({ min: 5, max: 400 }), { maxLength: 12 }),
    held: fc.boolean(),
    hardAfterSec: fc.option(fc.integer({ min: 1, max: 1_700 }), { nil: null }),
    zone: fc.constantFrom("UTC", "Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Africa/Cairo")
  })
  .map(({ beds, hardAfterSec, held, idents, minutes, segments, seed, songs, zone }) => {
    const nowMs = Date.UTC(2026, 0, 2) + minutes * 60_000 + Math.abs(seed % 60_000)
    return ask({
      nowMs,
      zone,
      rules: defaultRotation(seed),
      pool: pool(songs, idents, beds),
      held,
      cursor: { atSample: sampleOf(nowMs), previous: null, voiceFreeSample: 0 },
      untilSample: sampleOf(nowMs + 1_800_000),
      queued: segments.map((sec, i) => airable("segment", 600 + i, sec)),
      kept: hardAfterSec === null ? [] : [hard(0, nowMs + hardAfterSec * 1_000)]
    })
  })
describe("the planner", () => {
  it("is never empty, has no gaps and no overlapping voices, and is deterministic to the sample", () => {
    fc.assert(
      fc.property(asks, (question) => {
        const plan = compose(question)
        const { beds, music } = question.pool
        if (music.length + beds.length > 0) {
          expect(plan.items.length).toBeGreaterThanOrEqual(rundownItemsMin)
          expect(plan.items[0]!.startSample).toBeLessThanOrEqual(question.cursor.atSample)
          expect(endOf(plan.items.at(-1)!)).toBeGreaterThanOrEqual(
            plan.items.length < rundownItemsMax ? question.untilSample : 0
          )
        }
        expect(faultsIn(plan.items)).toEqual([])
        expect(new Set(plan.items.map((item) => item.id)).size).toBe(plan.items.length)
        expect(plan.items.every((item) => item.trace.length > 0)).toBe(true)
        expect(compose(question)).toEqual(plan)
      }),
      { numRuns: 400 }
    )
  })

  it("plans across block borders and clock changes as at any other time", () => {
    const borders = [
      ...[
        [2, 29],
        [9, 25]
      ].map(([month, day]) => ["Europe/Berlin", Date.UTC(2026, month!, day!, 1)] as const),
      ...[
        [2, 8, 7],
        [10, 1, 6]
      ].map(([month, day, hour]) => ["America/New_York", Date.UTC(2026, month!, day!, hour!)] as const),
      ...[
        [3, 4, 15],
        [9, 3, 15]
      ].map(([month, day, hour]) => ["Australia/Lord_Howe", Date.UTC(2026, month!, day!, hour!)] as const),
      ["Africa/Cairo", Date.UTC(2026, 3, 23, 22)] as const,
      ["UTC", Date.UTC(2026, 5, 3, 6)] as const,
      ["Asia/Kathmandu", Date.UTC(2026, 5, 6, 18, 15)] as const
    ]
    for (const [zone, border] of borders) {
      for (let min = -40; min <= 40; min += 8) {
        const nowMs = border + min * 60_000 + 17_000
        const { items } = compose(
          ask({
            nowMs,
            zone,
            cursor: { atSample: sampleOf(nowMs), previous: null, voiceFreeSample: 0 },
            untilSample: sampleOf(nowMs + 1_800_000)
          })
        )
        expect(faultsIn(items), `${zone} ${min}`).toEqual([])
        expect(items.length).toBeGreaterThanOrEqual(rundownItemsMin)
        expect(endOf(items.at(-1)!)).toBeGreaterThanOrEqual(sampleOf(nowMs + 1_800_000))
        for (const { startSample, trace } of items)
          expect(trace[0]).toBe(
            `block: ${blockAt(defaultGrid, zone, Math.max(nowMs, msOf(startSample) + 4_000)).block.title}`
          )
        // Every full hour of the clock is announced once; an hour that occurs twice is announced twice.
        const tops = items
          .filter(({ airable }) => airable.role === "hour_call")
          .map(({ airable, startSample }) => [
            Number(airable.title.slice(10)) - 200,
            Math.floor((wallOf(zone, msOf(startSample) + 240_000) % 86_400_000) / 3_600_000)
          ])
        for (const [told, shown] of tops) expect(told, `${zone} ${min}`).toBe(shown)
      }
    }
  })

  it("begins a hard item exactly, unless a voice would be cut", () => {
    fc.assert(
      fc.property(asks, (question) => {
        const wanted = question.kept[0]
        if (wanted === undefined || question.held || question.pool.beds.length === 0) return
        const plan = compose(question)
        const at = plan.items.findIndex((item) => item.id === wanted.id)
        expect(at).toBeGreaterThanOrEqual(0)
        const late = plan.items[at]!.startSample - wanted.startSample
        if (late !== 0) expect(plan.items[at - 1]?.airable.speech ?? true).toBe(true)
        expect(Math.abs(late)).toBeLessThanOrEqual(48_000 * 12)
      }),
      { numRuns: 300 }
    )
  })

  it("puts a new segment behind the item on the air, and keeps the order of the others", () => {
    const first = compose(ask())
    const onAir = first.items[1]!
    const cursor = cursorAfter({ atSample: onAir.startSample, previous: null, voiceFreeSample: 0 }, onAir)
    const segment = airable("segment", 42, 90)
    const next = compose(ask({ cursor, kept: first.items.slice(2), turn: first.turn, queued: [segment] }))
    const at = next.items.findIndex((item) => item.airable.segmentId === segment.segmentId)
    expect(at).toBeLessThanOrEqual(2)
    expect(msOf(next.items[at]!.startSample)).toBeLessThan(now + 300_000)
    const songs = (items: ReadonlyArray<RundownItem>) =>
      items.filter((item) => item.airable.role === "music").map((item) => item.id)
    expect(songs(next.items).slice(0, 4)).toEqual(songs(first.items.slice(2)).slice(0, 4))
  })

  it("begins nothing that the mixer can't reach, and leaves no gap where a voice is nearly over", () =>
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 8_000 }), fc.integer({ min: 0, max: 12 }), (heardMs, introSec) => {
        const renderedTo = sampleOf(now)
        const onAir = new RundownItem({
          id: testId("itm", 8_000),
          airable: airable("ident", 100, 8),
          placement: { _tag: "Flow" },
          startSample: renderedTo - heardMs * 48,
          locked: false,
          trace: []
        })
        const song = airable("music", 1, 120)
        const next = {
          ...song,
          cue: { ...song.cue, introEnd: song.cue.cueIn + introSec * 48_000 }
        } as typeof song
        const { cursor } = horizonOf(revise(emptyRundown("stn_1"), { onAir }), renderedTo, "boundary", true)
        const start = earliestStart(cursor, next)
        expect(start).toBeGreaterThan(renderedTo)
        expect(start).toBeLessThanOrEqual(Math.max(endOf(onAir), renderedTo + planLeadMs * 48))
      })
    ))

  it("keeps contributions waiting while held, and drops invalid ones", () => {
    const segment = airable("segment", 1, 60)
    expect(compose(ask({ queued: [segment], held: true })).items.some((item) => item.airable.segmentId !== null)).toBe(
      false
    )
    const stale = airable("segment", 2, 60, { validUntilMs: now - 1 })
    const later = airable("segment", 3, 60, { validFromMs: now + 600_000 })
    const plan = compose(ask({ queued: [stale, later] }))
    expect(plan.items.some((item) => item.airable.segmentId === stale.segmentId)).toBe(false)
    const placed = plan.items.find((item) => item.airable.segmentId === later.segmentId)!
    expect(msOf(placed.startSample)).toBeGreaterThanOrEqual(now + 600_000)
  })

  it("fills up to a fixed start within two seconds", () => {
    let landed = 0
    let tried = 0
    for (let seed = 1; seed <= 60; seed++) {
      const wanted = hard(1, now + 240_000 + seed * 13_000)
      const { items } = compose(
        ask({
          rules: defaultRotation(seed),
          kept: [wanted],
          pool: { ...pool(40), music: Array.from({ length: 40 }, (_, i) => candidate(i, 60 + i * 4)) }
        })
      )
      const at = items.findIndex((item) => item.id === wanted.id)
      expect(items[at]!.startSample).toBe(wanted.startSample)
      const before = items[at - 1]!
      tried++
      if (Math.abs(before.startSample + stepOf(before.airable) - wanted.startSample) <= 2_000 * 48) landed++
    }
    expect(landed / tried).toBeGreaterThan(0.9)
  })

  it("places soft items within their margin and the others before their time", () => {
    const placedAt = (placement: RundownItem["placement"]) => {
      const item = new RundownItem({ ...hard(5, now), placement, id: testId("itm", 77) })
      return msOf(compose(ask({ kept: [item] })).items.find((one) => one.id === item.id)!.startSample)
    }
    const soft = placedAt({ _tag: "Soft", atMs: now + 600_000, maxLateMs: 240_000 })
    expect(soft).toBeGreaterThanOrEqual(now + 600_000)
    expect(soft).toBeLessThanOrEqual(now + 840_000)
    expect(placedAt({ _tag: "By", beforeMs: now + 900_000 })).toBeLessThan(now + 900_000)
  })

  it("announces every full hour within its margin and airs an ident every quarter", () => {
    const plan = compose(ask({ untilSample: sampleOf(now + 3 * 3_600_000) }))
    const calls = plan.items.filter((item) => item.airable.role === "hour_call")
    expect(calls.map((item) => item.airable.title)).toEqual(["hour_call 212", "hour_call 213", "hour_call 214"])
    for (const call of calls) {
      const off = msOf(call.startSample) % 3_600_000
      expect(Math.min(off, 3_600_000 - off)).toBeLessThanOrEqual(240_000)
    }
    expect(plan.items.filter((item) => item.airable.role === "ident").length).toBeGreaterThanOrEqual(9)
  })

  it("falls back in order: rotation, then beds and idents, then nothing but an ident before the mixer's own fallback", () => {
    expect(compose(ask()).items.some((item) => item.airable.role === "music")).toBe(true)
    const bare = compose(ask({ pool: { ...pool(0) } }))
    expect(new Set(bare.items.map((item) => item.airable.role))).toContain("bed")
    expect(compose(ask({ pool: { ...pool(0, 2, 0) } })).items.map((item) => item.airable.role)).toEqual(["ident"])
    expect(compose(ask({ pool: { music: [], idents: [], hourCalls: [], beds: [] } })).items).toEqual([])
  })
})
