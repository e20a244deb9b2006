import type { Block } from "../../schema/Block.ts"
import type { ItemRole, RundownItem } from "../../schema/Rundown.ts"
import { hourCallEarlyMaxMs, hourCallLateMaxMs, musicBetweenFillers, speechRunMax } from "../Limits.ts"
import { wallOf } from "./Grid.ts"

/** A fixed point of the hour: the station says who or when it is. */
export interface Anchor {
  readonly minute: number
  readonly role: "hour_call" | "ident"
}

/** How an hour of a block sounds: its anchors, and how words and music take turns between them. */
export interface Clockwheel {
  readonly anchors: ReadonlyArray<Anchor>
  readonly speechRunMax: number
  readonly musicBetweenFillers: number
}

const anchors: ReadonlyArray<Anchor> = [
  { minute: 0, role: "hour_call" },
  { minute: 1, role: "ident" },
  { minute: 15, role: "ident" },
  { minute: 30, role: "ident" },
  { minute: 45, role: "ident" }
]

/** Nights speak less, desks for requests more: the wheel follows the block's kind. */
export const wheelOf = (block: Block): Clockwheel => ({
  anchors,
  speechRunMax: block.kind === "request" || block.kind === "news" ? speechRunMax + 1 : speechRunMax,
  musicBetweenFillers: block.kind === "rotation" && block.startMinute < 360 ? musicBetweenFillers + 2 : musicBetweenFillers
})

const minuteMs = 60_000
const hourMs = 3_600_000

/** What came before, newest last; enough of it to know whose turn it is. */
export type Past = ReadonlyArray<{ readonly role: ItemRole; readonly startMs: number }>

export const pastOf = (items: ReadonlyArray<RundownItem>, msOf: (sample: number) => number): Past =>
  items.map((item) => ({ role: item.airable.role, startMs: msOf(item.startSample) }))

/** The hour call that may begin at this instant, if it has not been heard: `topMs` is the hour it announces. */
export const hourCallDue = (zone: string, atMs: number, past: Past): { readonly topMs: number; readonly hour: number } | null => {
  const wall = wallOf(zone, atMs)
  const into = ((wall % hourMs) + hourMs) % hourMs
  const topMs = into <= hourCallLateMaxMs ? atMs - into : hourMs - into <= hourCallEarlyMaxMs ? atMs - into + hourMs : null
  if (topMs === null) return null
  if (past.some((item) => item.role === "hour_call" && Math.abs(item.startMs - topMs) <= hourCallLateMaxMs + hourCallEarlyMaxMs)) return null
  return { topMs, hour: Math.floor(wallOf(zone, topMs) / hourMs) % 24 }
}

/** An ident is due when an anchor went by since the last one, and nobody has just said who this is. */
export const identDue = (wheel: Clockwheel, zone: string, atMs: number, past: Past): boolean => {
  const last = past.findLast((item) => item.role === "ident")
  if (past.at(-1)?.role === "ident") return false
  if (last === undefined) return true
  const into = ((wallOf(zone, atMs) % hourMs) + hourMs) % hourMs
  const passed = wheel.anchors.filter((anchor) => anchor.role === "ident" && anchor.minute * minuteMs <= into)
    .map((anchor) => atMs - into + anchor.minute * minuteMs)
  const newest = passed.at(-1) ?? atMs - into - 15 * minuteMs
  return last.startMs < newest
}

/** Whether a segment may follow what came before: voices take turns with music. */
export const speechOpen = (wheel: Clockwheel, past: Past): boolean => {
  let run = 0
  for (let i = past.length - 1; i >= 0 && past[i]!.role !== "music" && past[i]!.role !== "bed"; i--) {
    if (past[i]!.role === "segment") run++
  }
  return run < wheel.speechRunMax
}

/** A few words of the house after so much music, when no contribution spoke in between. */
export const fillerDue = (wheel: Clockwheel, past: Past): boolean => {
  let songs = 0
  for (let i = past.length - 1; i >= 0; i--) {
    const role = past[i]!.role
    if (role === "filler" || role === "segment" || role === "hour_call") return songs >= wheel.musicBetweenFillers
    if (role === "music") songs++
  }
  return songs >= wheel.musicBetweenFillers
}
