import { retryAfterMaxSec } from "../../engine/rules/runtime/limits.ts"

/** Seconds of a Retry-After header, in either of its forms; undefined if there is none that can be read. */
export const retryAfterSec = (header: string | undefined, nowMs: number): number | undefined => {
  if (header === undefined) return undefined
  const sec = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - nowMs) / 1_000
  return Number.isFinite(sec) ? Math.min(retryAfterMaxSec, Math.max(1, Math.ceil(sec))) : undefined
}
