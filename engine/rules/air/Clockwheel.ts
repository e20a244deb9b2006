import type { Block, HourClock } from "../../../schema/programmes/Block.ts"
import type { ItemRole, RundownItem } from "../../../schema/air/Rundown.ts"
import { hourCallEarlyMaxMs, hourCallLateMaxMs, musicBetweenFillers, speechRunMax } from "./limits.ts"
import { wallOf } from "../time/WeekSchedule.ts"

const anchors: HourClock["anchors"] = [
  { minute: 0, role: "hour_call" },
  { minute: 1, role: "ident" },
  { minute: 15, role: "ident" },
  { minute: 30, role: "ident" },
  { minute: 45, role: "ident" }
]

/** The block's own hour clock, else the default of its kind: less speech at night, more for request shows. */
export const wheelOf = (block: Block): HourClock =>
  block.clock ?? {
    anchors,
    speechRunMax: block.kind === "request" || block.kind === "news" ? speechRunMax + 1 : speechRunMax,
    musicBetweenFillers:
      block.kind === "rotation" && block.startMinute < 360 ? musicBetweenFillers + 2 : musicBetweenFillers
  }

const minuteMs = 60_000
const hourMs = 3_600_000

/** Previous items, newest last, far enough back for the rules of alternation. */
export type Past = ReadonlyArray<{ readonly role: ItemRole; readonly startMs: number }>

export const pastOf = (items: ReadonlyArray<RundownItem>, msOf: (sample: number) => number): Past =>
  items.map((item) => ({ role: item.airable.role, startMs: msOf(item.startSample) }))

/** The hour call that may begin at this instant, if it hasn't aired. `topMs` is the announced hour. */
export const findDueHourCall = (
  wheel: HourClock,
  zone: string,
  atMs: number,
  past: Past
): { readonly topMs: number; readonly hour: number } | null => {
  if (!wheel.anchors.some(({ role }) => role === "hour_call")) return null
  const wall = wallOf(zone, atMs)
  const into = ((wall % hourMs) + hourMs) % hourMs
  const topMs =
    into <= hourCallLateMaxMs ? atMs - into : hourMs - into <= hourCallEarlyMaxMs ? atMs - into + hourMs : null
  if (topMs === null) return null
  if (
    past.some(
      (item) => item.role === "hour_call" && Math.abs(item.startMs - topMs) <= hourCallLateMaxMs + hourCallEarlyMaxMs
    )
  )
    return null
  return { topMs, hour: Math.floor(wallOf(zone, topMs) / hourMs) % 24 }
}

/** Whether an ident is due: an anchor minute has passed since the last one, and the station wasn't just named. */
export const isIdentDue = (wheel: HourClock, zone: string, atMs: number, past: Past): boolean => {
  const minutes = wheel.anchors.filter(({ role }) => role === "ident").map(({ minute }) => minute)
  const last = past.findLast((item) => item.role === "ident")
  if (minutes.length === 0 || past.at(-1)?.role === "ident") return false
  if (last === undefined) return true
  const into = ((wallOf(zone, atMs) % hourMs) + hourMs) % hourMs
  const passed = minutes.filter((minute) => minute * minuteMs <= into)
  // Before the first anchor of this hour, the last anchor of the previous hour counts.
  const newest = passed.length > 0 ? Math.max(...passed) : Math.max(...minutes) - 60
  return last.startMs < atMs - into + newest * minuteMs
}

/** Whether speech may follow: voices alternate with music. */
export const isSpeechOpen = (wheel: HourClock, past: Past): boolean => {
  let run = 0
  for (let i = past.length - 1; i >= 0 && past[i]!.role !== "music" && past[i]!.role !== "bed"; i--) {
    if (past[i]!.role === "segment") run++
  }
  return run < wheel.speechRunMax
}

/** Whether a filler of the house is due: enough music in a row without a contribution. */
export const isFillerDue = (wheel: HourClock, past: Past): boolean => {
  let songs = 0
  for (let i = past.length - 1; i >= 0; i--) {
    const role = past[i]!.role
    if (role === "filler" || role === "segment" || role === "hour_call") return songs >= wheel.musicBetweenFillers
    if (role === "music") songs++
  }
  return songs >= wheel.musicBetweenFillers
}
