import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Block } from "../../schema/Block.ts"
import { blockAt, defaultGrid, faultsOf, instantOf, nextHourTop, occurrences, wallOf } from "../../engine/rules/Grid.ts"
import { testId } from "../support/Airables.ts"

const zones = Intl.supportedValuesOf("timeZone")
const from = Date.UTC(2024, 0, 1)
const until = Date.UTC(2033, 0, 1)
const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Every change of offset of the zone in the years that matter, to the minute. */
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

/** What the platform says a clock there shows, asked directly. */
const shown = (zone: string, at: number): string =>
  new Intl.DateTimeFormat("en-GB", { timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit" }).format(at)

const hourly = Array.from({ length: 7 * 24 }, (_, i) =>
  new Block({
    id: testId("blk", i), title: `${i}`, description: "", kind: "rotation", weekday: Math.floor(i / 24), startMinute: (i % 24) * 60,
    durationMin: 60, audience: null, format: null, genres: [], overrunPolicy: "allow", placement: "soft", bookable: false, showId: null
  }))

describe("the week grid", () => {
  it("of a fresh station leaves no minute without a block", () => {
    expect(faultsOf(defaultGrid)).toEqual([])
    expect(faultsOf(defaultGrid.slice(1))).toEqual([{ code: "gap", minute: 0 }])
    expect(faultsOf([...defaultGrid, hourly[1]!]).length).toBeGreaterThan(0)
    expect(faultsOf([])).toEqual([{ code: "empty", minute: 0 }])
  })

  it("has one block for every minute, in every zone, around every change of its clocks", () => {
    const clocks = new Set<string>()
    for (const zone of zones) {
      const changes = transitions(zone)
      // Zones whose clocks go alike in all these years are one.
      const clock = [from, ...changes].map((at) => `${at}${wallOf(zone, at) - at}`).join()
      if (clocks.has(clock)) continue
      clocks.add(clock)
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
          // A start inside a missing hour is the jump itself; every other one reads its own wall time.
          if (wall !== planned) expect(wallOf(zone, run.startMs - 1), zone).toBeLessThan(planned)
        }
      }
    }
    expect(clocks.size).toBeGreaterThan(60)
  }, 60_000)

  it("keeps wall time at any instant of 2024–2032", () => {
    fc.assert(fc.property(fc.constantFrom(...zones), fc.integer({ min: from / 60_000, max: until / 60_000 - 1 }), (zone, minute) => {
      const at = minute * 60_000
      expect(shown("UTC", wallOf(zone, at))).toBe(shown(zone, at))
      const run = blockAt(defaultGrid, zone, at)
      expect(run.startMs).toBeLessThanOrEqual(at)
      expect(run.endMs).toBeGreaterThan(at)
      const top = nextHourTop(zone, at)
      expect(top.atMs).toBeGreaterThan(at)
      expect(wallOf(zone, top.atMs) % hourMs).toBe(0)
    }), { numRuns: 1_500 })
  })

  it("gives a wall reading one instant: the first when it comes twice, the jump when it never comes", () => {
    // Berlin: 2026-03-29 02:00 → 03:00, 2026-10-25 03:00 → 02:00.
    expect(instantOf("Europe/Berlin", Date.UTC(2026, 2, 29, 2, 30))).toBe(Date.UTC(2026, 2, 29, 1))
    expect(instantOf("Europe/Berlin", Date.UTC(2026, 9, 25, 2, 30))).toBe(Date.UTC(2026, 9, 25, 0, 30))
    const autumn = occurrences(hourly, "Europe/Berlin", Date.UTC(2026, 9, 24, 22), Date.UTC(2026, 9, 25, 4))
    expect(autumn.filter((run) => run.block.startMinute === 120)).toHaveLength(1)
    expect(autumn.find((run) => run.block.startMinute === 120)).toMatchObject({ startMs: Date.UTC(2026, 9, 25, 0), endMs: Date.UTC(2026, 9, 25, 2) })
    const spring = occurrences(hourly, "Europe/Berlin", Date.UTC(2026, 2, 28, 22), Date.UTC(2026, 2, 29, 4))
    expect(spring.filter((run) => run.block.startMinute === 120)).toMatchObject([{ startMs: Date.UTC(2026, 2, 29, 1), endMs: Date.UTC(2026, 2, 29, 1) }])
  })
})
