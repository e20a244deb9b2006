import { wallOf } from "../time/WeekSchedule.ts"
import { dayMs } from "../../../schema/time/Units.ts"

/** From `atMs` on the zone's offset from UTC is `offsetMs`; before it was `beforeMs`. */
export interface ClockChange {
  readonly atMs: number
  readonly beforeMs: number
  readonly offsetMs: number
}
const quarterMs = 900_000
const lookBackMs = 400 * dayMs
/** Every change of the zone's offset in the stretch, and the last one before it within a year. */
export const clockChanges = (zone: string, fromMs: number, toMs: number): ReadonlyArray<ClockChange> => {
  const offset = (atMs: number) => wallOf(zone, atMs) - atMs
  const found: Array<ClockChange> = []
  const begin = Math.floor((fromMs - lookBackMs) / dayMs) * dayMs
  for (let day = begin; day < toMs; day += dayMs) {
    if (offset(day) === offset(day + dayMs)) continue
    let [before, after] = [day, day + dayMs]
    while (after - before > quarterMs) {
      const middle = before + Math.floor((after - before) / (2 * quarterMs)) * quarterMs
      if (offset(middle) === offset(day)) before = middle
      else after = middle
    }
    found.push({ atMs: after, beforeMs: offset(before), offsetMs: offset(after) })
  }
  const last = found.findLast(({ atMs }) => atMs <= fromMs)
  return found.filter((change) => change === last || change.atMs > fromMs)
}
const padTwo = (value: number): string => String(value).padStart(2, "0")
/** Wall clock time in iCalendar format. */
export const calendarTime = (wallMs: number): string =>
  new Date(wallMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, "")
const offsetText = (offsetMs: number): string => {
  const minutes = Math.abs(Math.round(offsetMs / 60_000))
  return `${offsetMs < 0 ? "-" : "+"}${padTwo(Math.floor(minutes / 60))}${padTwo(minutes % 60)}`
}
/** The zone as an RFC 5545 VTIMEZONE for the stretch, so that clients need no time zone database. */
export const vTimeZone = (zone: string, fromMs: number, toMs: number): string => {
  const changes = clockChanges(zone, fromMs, toMs)
  const first = changes[0]
  const since =
    first !== undefined && first.atMs <= fromMs
      ? []
      : [{ atMs: 0, beforeMs: wallOf(zone, fromMs) - fromMs, offsetMs: wallOf(zone, fromMs) - fromMs }]
  const usual = Math.min(...[...since, ...changes].map(({ offsetMs }) => offsetMs))
  const observances = [...since, ...changes].flatMap(({ atMs, beforeMs, offsetMs }) => {
    const kind = offsetMs > usual ? "DAYLIGHT" : "STANDARD"
    return [
      `BEGIN:${kind}`,
      `DTSTART:${calendarTime(atMs + beforeMs)}`,
      `TZOFFSETFROM:${offsetText(beforeMs)}`,
      `TZOFFSETTO:${offsetText(offsetMs)}`,
      `END:${kind}`
    ]
  })
  return ["BEGIN:VTIMEZONE", `TZID:${zone}`, ...observances, "END:VTIMEZONE"].join("\r\n")
}
