import { Schema } from "effect"
import type { ShiftStart } from "../engine/ports/Live.ts"
import { instant, msOf } from "./api/Instants.ts"

export const startOfStream = "`start` is an instant of the last day, such as 2026-05-01T20:00:00Z, or seconds back from now, such as -3600."

export const startOfVariant = "Here `start` is seconds back from now, such as -3600. For an instant begin at /live/index.m3u8?start=…: it names playlists that go on from there."

/** Where to begin, as the query says it; null where it doesn't, for live. */
export const startOf = (asked: URLSearchParams): ShiftStart | "malformed" | null => {
  // A plus that nobody escaped comes as a space.
  const text = asked.get("start")?.replace(" ", "+") ?? null
  if (text === null) return null
  if (/^-\d{1,7}(\.\d{1,3})?$|^0$/.test(text)) return { _tag: "Behind", behindSec: Math.abs(Number(text)) }
  return Schema.is(instant)(text) ? { _tag: "At", atMs: msOf(text) } : "malformed"
}
