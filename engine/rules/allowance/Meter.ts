import { Result, Data } from "effect"
import { dayMs } from "../../../schema/time/Units.ts"

export type MeterOwner = "agent" | "owner" | "station"

/**
 * A sliding window by the generic cell rate algorithm: one number says when the window would be empty again.
 * `count` in `windowMs` may come at once; afterwards one more for each `windowMs / count` that passes.
 */
export interface Window {
  readonly count: number
  readonly windowMs: number
}

const spacingMsOf = (window: Window) => window.windowMs / window.count

/** Takes one, or fails with the wait in ms. */
export const take = (
  emptyAtMs: number,
  window: Window,
  nowMs: number
): Result.Result<number, { readonly retryAfterMs: number }> => {
  const next = Math.max(emptyAtMs, nowMs) + spacingMsOf(window)
  const early = next - nowMs - window.windowMs
  // A fifteenth of an hour isn't a binary fraction, so half a millisecond is tolerated.
  return early > 0.5 ? Result.fail({ retryAfterMs: Math.ceil(early) }) : Result.succeed(next)
}

/** Gives one back, as if it was never taken. */
export const refund = (emptyAtMs: number, window: Window): number => emptyAtMs - spacingMsOf(window)

export const countUsed = (emptyAtMs: number, window: Window, nowMs: number): number =>
  Math.min(window.count, Math.max(0, Math.ceil((emptyAtMs - nowMs) / spacingMsOf(window) - 1e-6)))

/** A total per UTC day, reset at midnight. */
export interface DaySum {
  readonly day: number
  readonly sum: number
}

export const utcDay = (nowMs: number): number => Math.floor(nowMs / dayMs)

/** The next midnight (UTC), at which a day's allowance is back. */
export const midnightAfter = (nowMs: number): number => (utcDay(nowMs) + 1) * dayMs

export const today = (meter: DaySum, nowMs: number): number => (meter.day === utcDay(nowMs) ? meter.sum : 0)

/** Adds to the day's total, or fails with the time in ms until the next UTC day if the total would exceed `max`. */
export const add = (
  meter: DaySum,
  amount: number,
  max: number,
  nowMs: number
): Result.Result<DaySum, { readonly retryAfterMs: number }> => {
  const sum = today(meter, nowMs)
  return sum + amount > max
    ? Result.fail({ retryAfterMs: midnightAfter(nowMs) - nowMs })
    : Result.succeed({ day: utcDay(nowMs), sum: sum + amount })
}

/** Corrects an amount added on the same day; a past day stays unchanged. */
export const correct = (meter: DaySum, by: number, reservedDay: number): DaySum =>
  meter.day === reservedDay ? { day: meter.day, sum: Math.max(0, meter.sum + by) } : meter

/** A stored meter. */
export interface Meter {
  readonly emptyAtMs: number
  readonly seconds: DaySum
}

export class MeterExhausted extends Data.TaggedError("MeterExhausted")<{
  readonly meter: MeterOwner
  readonly retryAfterMs: number
}> {}
