import ical, { ICalCalendarMethod, ICalEventTransparency } from "ical-generator"
import { runsOf, wallOf } from "../../../engine/rules/time/WeekSchedule.ts"
import { horizonOf } from "../../../engine/rules/programmes/ScheduleView.ts"
import { calendarTime, vTimeZone } from "../../../engine/rules/programmes/CalendarTimeZone.ts"
import type { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import type { GridRevision } from "../../../schema/programmes/Block.ts"
import type { Episode } from "../../../schema/programmes/WeekSchedule.ts"

/**
 * An instant as local time of the station. The library uses the machine's zone for a plain `Date`, so it gets a wrapper
 * that it recognises.
 */
const toZoned = (zone: string, atMs: number) => {
  const text = calendarTime(wallOf(zone, atMs))
  const date = {
    format: (pattern: string) => (pattern === "YYYYMMDD" ? text.slice(0, 8) : text.slice(9)),
    tz: () => date,
    utc: () => toZoned("UTC", atMs),
    toDate: () => new Date(atMs),
    toJSON: () => new Date(atMs).toISOString(),
    isValid: () => true
  }
  return date as never
}

const hourMs = 3_600_000

/** Upcoming runs as a calendar, each listed, because a "weekly" rule would be wrong at changes of daylight saving time. */
export const calendarOf = (
  { name, publicUrl, slug, timeZone: zone }: StationFacts["Service"],
  week: ReadonlyArray<GridRevision>,
  episodes: ReadonlyArray<Episode>,
  nowMs: number
): string => {
  const until = horizonOf(nowMs)
  const runs = runsOf(week, zone, nowMs, until).filter(({ endMs, startMs }) => endMs > startMs)
  const fromMs = Math.min(nowMs, ...runs.map(({ startMs }) => startMs), ...episodes.map(({ startsAtMs }) => startsAtMs))
  const toMs = Math.max(until, ...runs.map(({ endMs }) => endMs), ...episodes.map(({ endsAtMs }) => endsAtMs))
  const calendar = ical({
    name,
    prodId: { company: "longwave", product: "longwave", language: "EN" },
    method: ICalCalendarMethod.PUBLISH,
    url: `${publicUrl}/api/station/schedule?format=ics`,
    ttl: 3_600,
    timezone: { name: zone, generator: () => vTimeZone(zone, fromMs, toMs) }
  })
  // DTSTAMP, rounded to the hour, so that an unchanged calendar stays identical.
  const stamp = toZoned("UTC", Math.floor(nowMs / hourMs) * hourMs)
  const add = (id: string, startMs: number, endMs: number, summary: string, description: string) =>
    calendar.createEvent({
      id: `${id}@${slug}`,
      stamp,
      start: toZoned(zone, startMs),
      end: toZoned(zone, endMs),
      timezone: zone,
      summary,
      description,
      url: publicUrl,
      transparency: ICalEventTransparency.TRANSPARENT
    })
  for (const { block, dayMs, endMs, startMs } of runs)
    add(`${block.id}-${calendarTime(dayMs).slice(0, 8)}`, startMs, endMs, block.title, block.description)
  for (const { endsAtMs, hostHandle, planId, startsAtMs, title } of episodes)
    add(planId, startsAtMs, endsAtMs, title, `Hosted by @${hostHandle}.`)
  return calendar.toString()
}
