import { Schema } from "effect"
import type { ShiftStart } from "../../engine/ports/Live.ts"
import { instant, msOf } from "../api/Instants.ts"

/** Valid values of the parameters. */
export const startOfStream =
  "must be an instant of the last day, such as 2026-05-01T20:00:00Z, or seconds back from now, such as -3600"

export const startOfVariant =
  "must be seconds back from now, such as -3600; for an instant begin at /live/index.m3u8?start=…, which names playlists that go on from there"

export const fromOfVariant = "must be an instant, such as 2026-05-01T20:00:00Z"

const parseInstant = (text: string): number | "malformed" => (Schema.is(instant)(text) ? msOf(text) : "malformed")

/** The requested start; null for live. */
export const startOf = (asked: URLSearchParams): ShiftStart | "malformed" | null => {
  // An unescaped plus arrives as a space.
  const text = asked.get("start")?.replace(" ", "+") ?? null
  if (text === null) return null
  if (/^-\d{1,7}(\.\d{1,3})?$|^0$/.test(text)) return { _tag: "Behind", behindSec: Math.abs(Number(text)) }
  const atMs = parseInstant(text)
  return atMs === "malformed" ? atMs : { _tag: "At", atMs }
}

/** Start instant of a rendition's listener; null without one in the query. */
export const fromOf = (asked: URLSearchParams): number | "malformed" | null => {
  const text = asked.get("from")
  return text === null ? null : parseInstant(text)
}
