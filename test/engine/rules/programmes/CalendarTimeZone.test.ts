import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { wallOf } from "../../../../engine/rules/time/WeekSchedule.ts"
import { calendarTime, clockChanges, vTimeZone } from "../../../../engine/rules/programmes/CalendarTimeZone.ts"
import { fromCalendar } from "../../../support/programmes/Calendar.ts"

const zones = Intl.supportedValuesOf("timeZone")
const dayMs = 86_400_000
const instants = fc
  .integer({ min: Date.UTC(2024, 0, 1) / 60_000, max: Date.UTC(2033, 0, 1) / 60_000 })
  .map((minute) => minute * 60_000)

describe("a time zone in a calendar", () => {
  it("converts every local time back to its instant, in every zone, at any time of the period", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        instants,
        fc.integer({ min: 0, max: 28 * 1_440 }),
        (zone, fromMs, minutes) => {
          const atMs = fromMs + minutes * 60_000
          const found = fromCalendar(vTimeZone(zone, fromMs, fromMs + 28 * dayMs), calendarTime(wallOf(zone, atMs)))
          // A wall time that occurs twice means its first occurrence.
          const isSecond = wallOf(zone, found) === wallOf(zone, atMs) && found < atMs
          expect([zone, isSecond ? atMs : found]).toEqual([zone, atMs])
        }
      ),
      { numRuns: 300 }
    )
  })

  it("knows the nights of clock changes", () => {
    const spring = clockChanges("Europe/Berlin", Date.UTC(2027, 2, 20), Date.UTC(2027, 3, 5))
    expect(
      spring.map(({ atMs, beforeMs, offsetMs }) => [
        new Date(atMs).toISOString(),
        beforeMs / 3_600_000,
        offsetMs / 3_600_000
      ])
    ).toEqual([
      ["2026-10-25T01:00:00.000Z", 2, 1],
      ["2027-03-28T01:00:00.000Z", 1, 2]
    ])
    expect(clockChanges("Asia/Kolkata", Date.UTC(2027, 0, 1), Date.UTC(2028, 0, 1))).toEqual([])
    expect(vTimeZone("Asia/Kolkata", Date.UTC(2027, 0, 1), Date.UTC(2028, 0, 1))).toBe(
      [
        "BEGIN:VTIMEZONE",
        "TZID:Asia/Kolkata",
        "BEGIN:STANDARD",
        "DTSTART:19700101T053000",
        "TZOFFSETFROM:+0530",
        "TZOFFSETTO:+0530",
        "END:STANDARD",
        "END:VTIMEZONE"
      ].join("\r\n")
    )
    // Half an hour, in the opposite direction.
    expect(vTimeZone("Australia/Lord_Howe", Date.UTC(2027, 2, 20), Date.UTC(2027, 3, 20))).toContain(
      "TZOFFSETFROM:+1100\r\nTZOFFSETTO:+1030"
    )
  })
})
