import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { beat, streakOf } from "../../../../engine/rules/listeners/Streak.ts"
import { dayMs } from "../../../../schema/time/Units.ts"
import { utcDay } from "../../../../engine/rules/allowance/Meter.ts"

const minuteMs = 60_000
const days = fc.uniqueArray(fc.integer({ min: 20_000, max: 20_060 }), { maxLength: 60 })
describe("a streak", () => {
  it("lasts until the end of the next day", () => {
    expect(streakOf([], 10)).toEqual({ current: 0, longest: 0, lastDay: null })
    expect(streakOf([8, 9, 10], 10)).toEqual({ current: 3, longest: 3, lastDay: 10 })
    expect(streakOf([8, 9, 10], 11)).toEqual({ current: 3, longest: 3, lastDay: 10 })
    expect(streakOf([8, 9, 10], 12)).toEqual({ current: 0, longest: 3, lastDay: 10 })
    expect(streakOf([1, 2, 3, 4, 8, 9], 10)).toEqual({ current: 2, longest: 4, lastDay: 9 })
  })

  it("counts consecutive days, reported in any order", () =>
    fc.assert(
      fc.property(days, fc.integer({ min: 0, max: 3 }), (given, later) => {
        const today = Math.max(20_000, ...given) + later
        const streak = streakOf(given, today)
        const has = new Set(given)
        const runFrom = (day: number): number => (has.has(day) ? 1 + runFrom(day - 1) : 0)
        expect(streak.longest).toBe(Math.max(0, ...given.map(runFrom)))
        expect(streak.current).toBe(runFrom(today) || runFrom(today - 1))
        expect(streakOf([...given, ...given].toReversed(), today)).toEqual(streak)
      })
    ))

  it("uses UTC days for everybody", () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 20_000, max: 30_000 }),
        fc.integer({ min: 0, max: dayMs - 1 }),
        fc.integer({ min: -14, max: 12 }),
        (day, msOfDay, zoneHours) => {
          const atMs = day * dayMs + msOfDay
          expect(utcDay(atMs)).toBe(day)
          // The same instant as a local wall clock shows it, and the date that follows.
          const local = new Date(atMs + zoneHours * 3_600_000).toISOString().slice(0, 19)
          const sign = zoneHours < 0 ? "-" : "+"
          expect(utcDay(Date.parse(`${local}${sign}${String(Math.abs(zoneHours)).padStart(2, "0")}:00`))).toBe(
            utcDay(atMs - (atMs % 1_000))
          )
        }
      )
    ))
})
describe("presence reports", () => {
  it("count no more minutes than passed, however often they come", () =>
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 3 * minuteMs }), { maxLength: 200 }), (gaps) => {
        let [atMs, dueAtMs, minutes] = [1_000_000_000, 0, 0]
        const begunMs = atMs
        for (const gap of gaps) {
          atMs += gap
          const next = beat(dueAtMs, atMs)
          if (next !== null) [dueAtMs, minutes] = [next, minutes + 1]
        }
        expect(minutes).toBeLessThanOrEqual((atMs - begunMs) / minuteMs + 1.5)
      })
    ))

  it("lose no minute on an uneven network", () =>
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -7_000, max: 7_000 }), { minLength: 1, maxLength: 100 }), (jitters) => {
        let [dueAtMs, minutes] = [0, 0]
        for (const [index, jitter] of jitters.entries()) {
          const next = beat(dueAtMs, 1_000_000_000 + index * minuteMs + jitter)
          if (next !== null) [dueAtMs, minutes] = [next, minutes + 1]
        }
        expect(minutes).toBe(jitters.length)
      })
    ))
})
