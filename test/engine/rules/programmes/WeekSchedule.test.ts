import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Block, GridRevision } from "../../../../schema/programmes/Block.ts"
import {
  blockAt,
  defaultGrid,
  faultsOf,
  instantOf,
  nextHourTop,
  occurrences,
  revisionAt,
  runAt,
  runsOf,
  wallOf,
  weekFrom
} from "../../../../engine/rules/time/WeekSchedule.ts"
import { testId } from "../../../support/air/Airables.ts"

const zones = Intl.supportedValuesOf("timeZone")
const from = Date.UTC(2024, 0, 1)
const until = Date.UTC(2033, 0, 1)
const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Every change of the zone's offset in the relevant years, to the minute. */
const transitions = (zone: string): ReadonlyArray<number> => {
  const found: Array<number> = []
  const offset = (at: number) => wallOf(zone, at) - at
  for (let at = from; at < until; at += 7 * dayMs) {
    if (offset(at) === offset(at + 7 * dayMs)) continue
    let [low, high] = [at, at + 7 * dayMs]
    while (high - low > 60_000) {
      const middle = low + Math.floor((high - low) / 120_000) * 60_000
      if (offset(middle) === offset(low)) low = middle
      else high = middle
    }
    found.push(high)
  }
  return found
}

/** Zones with equal offsets in all these years count as one. */
const clocksOf = () => {
  const clocks = new Map<string, { readonly zone: string; readonly changes: ReadonlyArray<number> }>()
  for (const zone of zones) {
    const changes = transitions(zone)
    const clock = [from, ...changes].map((at) => `${at}${wallOf(zone, at) - at}`).join()
    if (!clocks.has(clock)) clocks.set(clock, { zone, changes })
  }
  return [...clocks.values()]
}
let everyClock: ReturnType<typeof clocksOf> | null = null
const clocks = () => (everyClock ??= clocksOf())

/** The local time that the platform computes. */
const shown = (zone: string, at: number): string =>
  new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit"
  }).format(at)

const weekMin = 7 * 1_440
const block = (n: number, minute: number, durationMin: number) =>
  new Block({
    id: testId("blk", n),
    title: `${n}`,
    description: "",
    kind: "rotation",
    weekday: Math.floor(minute / 1_440),
    startMinute: minute % 1_440,
    durationMin,
    audience: null,
    format: null,
    genres: [],
    overrunPolicy: "allow",
    placement: "soft",
    bookable: false,
    showId: null
  })
const hourly = Array.from({ length: 7 * 24 }, (_, i) => block(i, i * 60, 60))

/** A week divided at random, at multiples of five minutes. Blocks that begin at the same minute in two weeks are the same block. */
const weeks = fc
  .uniqueArray(fc.integer({ min: 0, max: weekMin / 5 - 1 }), { minLength: 7, maxLength: 40 })
  .map((cuts) => {
    const starts = cuts.map((cut) => cut * 5).sort((a, b) => a - b)
    return starts.map((start, i) => block(start, start, (starts[i + 1] ?? starts[0]! + weekMin) - start))
  })

describe("the week schedule", () => {
  it("of a fresh station leaves no minute without a block", () => {
    expect(faultsOf(defaultGrid)).toEqual([])
    expect(faultsOf(defaultGrid.slice(1))).toEqual([{ code: "gap", minute: 0 }])
    expect(faultsOf([...defaultGrid, hourly[1]!]).length).toBeGreaterThan(0)
    expect(faultsOf([])).toEqual([{ code: "empty", minute: 0 }])
  })

  it("has one block for every minute, in every zone, around every clock change", () => {
    for (const { changes, zone } of clocks()) {
      for (const change of changes) {
        for (const at of [change - 1_000, change]) expect(shown("UTC", wallOf(zone, at)), zone).toBe(shown(zone, at))
        const runs = occurrences(hourly, zone, change - 5 * hourMs, change + 5 * hourMs)
        runs.forEach((run, i) => {
          expect(run.endMs, zone).toBeGreaterThanOrEqual(run.startMs)
          if (i > 0) expect(run.startMs, `${zone} ${new Date(change).toISOString()}`).toBe(runs[i - 1]!.endMs)
        })
        expect(runs[0]!.startMs).toBeLessThanOrEqual(change - 5 * hourMs)
        expect(runs.at(-1)!.endMs).toBeGreaterThanOrEqual(change + 5 * hourMs)
        const keys = runs.map((run) => `${run.dayMs}/${run.block.id}`)
        expect(new Set(keys).size, `${zone}: a repeated or missing hour runs once`).toBe(keys.length)
        for (const run of runs) {
          if (run.endMs === run.startMs) continue
          const wall = wallOf(zone, run.startMs)
          const planned = run.dayMs + run.block.startMinute * 60_000
          // A start inside a missing hour is the instant of the change; every other start has its own wall time.
          if (wall !== planned) expect(wallOf(zone, run.startMs - 1), zone).toBeLessThan(planned)
        }
      }
    }
    expect(clocks().length).toBeGreaterThan(60)
  }, 300_000)

  it("keeps local time at any instant of 2024–2032", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.integer({ min: from / 60_000, max: until / 60_000 - 1 }),
        (zone, minute) => {
          const at = minute * 60_000
          expect(shown("UTC", wallOf(zone, at))).toBe(shown(zone, at))
          const run = blockAt(defaultGrid, zone, at)
          expect(run.startMs).toBeLessThanOrEqual(at)
          expect(run.endMs).toBeGreaterThan(at)
          const top = nextHourTop(zone, at)
          expect(top.atMs).toBeGreaterThan(at)
          expect(wallOf(zone, top.atMs) % hourMs).toBe(0)
        }
      ),
      { numRuns: 1_500 }
    )
  })

  it("maps a local time to one instant: the first if it occurs twice, the jump if it never occurs", () => {
    // Berlin: 2026-03-29 02:00 → 03:00, 2026-10-25 03:00 → 02:00.
    expect(instantOf("Europe/Berlin", Date.UTC(2026, 2, 29, 2, 30))).toBe(Date.UTC(2026, 2, 29, 1))
    expect(instantOf("Europe/Berlin", Date.UTC(2026, 9, 25, 2, 30))).toBe(Date.UTC(2026, 9, 25, 0, 30))
    const autumn = occurrences(hourly, "Europe/Berlin", Date.UTC(2026, 9, 24, 22), Date.UTC(2026, 9, 25, 4))
    expect(autumn.filter((run) => run.block.startMinute === 120)).toHaveLength(1)
    expect(autumn.find((run) => run.block.startMinute === 120)).toMatchObject({
      startMs: Date.UTC(2026, 9, 25, 0),
      endMs: Date.UTC(2026, 9, 25, 2)
    })
    const spring = occurrences(hourly, "Europe/Berlin", Date.UTC(2026, 2, 28, 22), Date.UTC(2026, 2, 29, 4))
    expect(spring.filter((run) => run.block.startMinute === 120)).toMatchObject([
      { startMs: Date.UTC(2026, 2, 29, 1), endMs: Date.UTC(2026, 2, 29, 1) }
    ])
  })

  it("changes at its instant only: each instant has one block, of the week in force, at its local time, around every clock change", () => {
    const moments = clocks().flatMap(({ changes, zone }) => changes.map((change) => ({ zone, change })))
    fc.assert(
      fc.property(
        fc.constantFrom(...moments),
        fc.array(fc.tuple(weeks, fc.integer({ min: -30 * 60, max: 30 * 60 })), { minLength: 1, maxLength: 4 }),
        fc.array(fc.integer({ min: -1_440, max: 1_439 }), { minLength: 12, maxLength: 12 }),
        ({ change, zone }, made, looks) => {
          const known = made
            .map(([blocks, minute]) => new GridRevision({ validFromMs: change + minute * 60_000, blocks }))
            .sort((a, b) => a.validFromMs - b.validFromMs)
          const [fromMs, toMs] = [change - dayMs, change + dayMs]
          const week = weekFrom(known, fromMs)
          for (const { blocks } of week) expect(faultsOf(blocks)).toEqual([])
          expect(week[0]!.validFromMs).toBeLessThanOrEqual(fromMs)
          const runs = runsOf(week, zone, fromMs, toMs)
          expect(runs[0]!.startMs).toBeLessThanOrEqual(fromMs)
          expect(runs.at(-1)!.endMs).toBeGreaterThanOrEqual(toMs)
          const begins = new Set(week.map(({ validFromMs }) => validFromMs))
          runs.forEach((run, i) => {
            expect(run.endMs).toBeGreaterThanOrEqual(run.startMs)
            if (i > 0) expect(run.startMs, `${zone}: no hole, and no two at a time`).toBe(runs[i - 1]!.endMs)
            // It begins by wall time, at the clock change if that skips the wall time, or when its week becomes valid.
            const wall = run.dayMs + run.block.startMinute * 60_000
            if (wallOf(zone, run.startMs) !== wall && !begins.has(run.startMs))
              expect(wallOf(zone, run.startMs - 1)).toBeLessThan(wall)
            if (!begins.has(run.startMs)) expect(run.startMs).toBe(instantOf(zone, wall))
          })
          const ran = runs.filter((run) => !begins.has(run.startMs)).map((run) => `${run.dayMs}/${run.block.id}`)
          expect(new Set(ran).size, `${zone}: what comes twice and what never comes run once`).toBe(ran.length)
          for (const minute of looks) {
            const atMs = change + minute * 60_000
            const run = runAt(week, zone, atMs)
            expect([run.startMs <= atMs, run.endMs > atMs]).toEqual([true, true])
            expect(revisionAt(week, atMs).blocks).toContainEqual(run.block)
            const among = runs
              .filter((one) => one.startMs <= atMs && one.endMs > atMs)
              .map(({ block: { id }, endMs }) => [id, Math.min(endMs, toMs)])
            expect(among, "asked for alone or with others, it is the same block").toEqual([
              [run.block.id, Math.min(run.endMs, toMs)]
            ])
          }
        }
      ),
      { numRuns: 120 }
    )
  }, 300_000)

  it("offers the same local hour every week, across every clock change", () => {
    const evening = 3 * 1_440 + 20 * 60
    const grid = [block(0, evening, 60), block(1, evening + 60, weekMin - 60)]
    for (const { changes, zone } of clocks()) {
      for (const change of changes.filter((at) => at > Date.UTC(2026, 0, 1) && at < Date.UTC(2027, 0, 1))) {
        const starts = runsOf(
          weekFrom([new GridRevision({ validFromMs: 0, blocks: grid })], change),
          zone,
          change - 14 * dayMs,
          change + 14 * dayMs
        ).filter((run) => run.block.id === grid[0]!.id && run.startMs >= change - 14 * dayMs)
        expect(starts.length, zone).toBe(4)
        for (const { dayMs: day, endMs, startMs } of starts)
          expect([wallOf(zone, startMs) - day, (endMs - startMs) / hourMs], zone).toEqual([20 * hourMs, 1])
        starts.forEach(({ dayMs: day }, i) => i > 0 && expect(day - starts[i - 1]!.dayMs).toBe(7 * dayMs))
      }
    }
  }, 300_000)

  it("is the station's own until someone programmes it, and never empty", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 1_000 }), { maxLength: 4 }),
        fc.integer({ min: 0, max: 1_000 }),
        (instants, fromMs) => {
          const known = instants
            .sort((a, b) => a - b)
            .map((validFromMs) => new GridRevision({ validFromMs, blocks: hourly }))
          const week = weekFrom(known, fromMs)
          const isHolding = known[0] !== undefined && known[0].validFromMs <= fromMs
          expect(revisionAt(week, fromMs).blocks[0]!.id).toBe(isHolding ? hourly[0]!.id : defaultGrid[0]!.id)
          expect(week.slice(isHolding ? 0 : 1)).toEqual(known)
        }
      ),
      { numRuns: 200 }
    )
  })
})
