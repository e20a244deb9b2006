/** Reads calendars like a program that knows RFC 5545 and has no table of time zones. */

const unfold = (text: string): ReadonlyArray<string> => text.replaceAll(/\r\n[ \t]/g, "").split("\r\n")

const wallOfText = (text: string): number => {
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)$/
    .exec(text)!
    .map(Number) as [number, number, number, number, number, number, number]
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

const offsetOf = (text: string): number => {
  const [, sign, hours, minutes] = /^([+-])(\d\d)(\d\d)$/.exec(text)!
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}

interface Observance {
  readonly onset: number
  readonly to: number
}

const observances = (calendar: string): ReadonlyArray<Observance> => {
  const lines = unfold(calendar)
  return lines.flatMap((line, i) => {
    if (line !== "BEGIN:STANDARD" && line !== "BEGIN:DAYLIGHT") return []
    const value = (name: string) =>
      lines
        .slice(i)
        .find((each) => each.startsWith(`${name}:`))!
        .slice(name.length + 1)
    return [{ onset: wallOfText(value("DTSTART")), to: offsetOf(value("TZOFFSETTO")) }]
  })
}

const reader = (calendar: string) => {
  const known = observances(calendar).toSorted((a, b) => a.onset - b.onset)
  return (text: string): number => {
    const wall = wallOfText(text)
    return wall - known.findLast(({ onset }) => onset <= wall)!.to
  }
}

/**
 * The instant of a wall time in the calendar's zone: the observance that began last applies. A wall time that occurs twice means
 * its first occurrence.
 */
export const fromCalendar = (calendar: string, text: string): number => reader(calendar)(text)

/** The events of a calendar by their ids, with their ends as instants. */
export const eventsOf = (
  calendar: string
): ReadonlyMap<string, { readonly startMs: number; readonly endMs: number; readonly summary: string }> => {
  const instant = reader(calendar)
  const blocks = calendar
    .replaceAll(/\r\n[ \t]/g, "")
    .split("BEGIN:VEVENT\r\n")
    .slice(1)
  return new Map(
    blocks.map((block) => {
      const value = (name: string) => new RegExp(`^${name}(?:;[^:\\r\\n]*)?:(.*)$`, "m").exec(block)![1]!.trimEnd()
      return [
        value("UID"),
        { startMs: instant(value("DTSTART")), endMs: instant(value("DTEND")), summary: value("SUMMARY") }
      ]
    })
  )
}
