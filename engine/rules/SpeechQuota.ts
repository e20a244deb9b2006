import { Data, Result } from "effect"
import { ownerSpeechMinPerDay, ownerSpeechPerHour, speechPerHourByTier, speechWordsPerMin, stationSpeechPerHour } from "../Limits.ts"

export type Tier = 0 | 1 | 2 | 3 | 4
export type MeterOwner = "agent" | "owner" | "station"

/**
 * A sliding window by the generic cell rate algorithm: one number says when the window would be empty again.
 * `count` in `windowMs` may come at once; afterwards one more for each `windowMs / count` that passes.
 */
export interface Window {
  readonly count: number
  readonly windowMs: number
}

export const hourMs = 3_600_000
export const dayMs = 86_400_000

const spacing = (window: Window) => window.windowMs / window.count

/** Takes one, or says how long to wait. */
export const take = (emptyAtMs: number, window: Window, nowMs: number): Result.Result<number, { readonly retryAfterMs: number }> => {
  const next = Math.max(emptyAtMs, nowMs) + spacing(window)
  const early = next - nowMs - window.windowMs
  // A fifteenth of an hour isn't a binary fraction: half a millisecond is no refusal.
  return early > 0.5 ? Result.fail({ retryAfterMs: Math.ceil(early) }) : Result.succeed(next)
}

/** Gives one back, as if it had never been taken. */
export const refund = (emptyAtMs: number, window: Window): number => emptyAtMs - spacing(window)

export const used = (emptyAtMs: number, window: Window, nowMs: number): number =>
  Math.min(window.count, Math.max(0, Math.ceil((emptyAtMs - nowMs) / spacing(window) - 1e-6)))

export const agentWindow = (tier: Tier): Window => ({ count: speechPerHourByTier[tier], windowMs: hourMs })
export const ownerWindow: Window = { count: ownerSpeechPerHour, windowMs: hourMs }
export const stationWindow: Window = { count: stationSpeechPerHour, windowMs: hourMs }

/** A UTC day's sum: starts again at midnight. */
export interface DaySum {
  readonly day: number
  readonly sum: number
}

export const utcDay = (nowMs: number): number => Math.floor(nowMs / dayMs)
export const today = (meter: DaySum, nowMs: number): number => meter.day === utcDay(nowMs) ? meter.sum : 0

/** Adds to the day, or says when the next one begins. A day that has room left takes one more, however long. */
export const add = (meter: DaySum, amount: number, max: number, nowMs: number): Result.Result<DaySum, { readonly retryAfterMs: number }> => {
  const sum = today(meter, nowMs)
  return sum + amount > max
    ? Result.fail({ retryAfterMs: (utcDay(nowMs) + 1) * dayMs - nowMs })
    : Result.succeed({ day: utcDay(nowMs), sum: sum + amount })
}

/** Corrects what was added on the same day; a day that is over is left alone. */
export const correct = (meter: DaySum, by: number, reservedDay: number): DaySum =>
  meter.day === reservedDay ? { day: meter.day, sum: Math.max(0, meter.sum + by) } : meter

/** Airtime set aside before the sound exists. */
export const reservedSec = (words: number): number => Math.max(1, Math.ceil(words / speechWordsPerMin * 60))

/** One meter as it lies in the store. */
export interface Meter {
  readonly emptyAtMs: number
  readonly seconds: DaySum
}

export class MeterExhausted extends Data.TaggedError("MeterExhausted")<{ readonly meter: MeterOwner; readonly retryAfterMs: number }> {}

export interface Meters {
  readonly agent: Meter
  readonly owner: Meter
  readonly station: Meter
}

export interface SpeechAsk {
  readonly tier: Tier
  readonly seconds: number
  readonly stationMinPerDay: number
  readonly nowMs: number
}

/** Takes one piece of speech from all three meters or from none; the narrowest answers first. */
export const reserve = (meters: Meters, ask: SpeechAsk): Result.Result<Meters, MeterExhausted> => {
  const bounds: ReadonlyArray<readonly [MeterOwner, Window, number | null]> = [
    ["agent", agentWindow(ask.tier), null],
    ["owner", ownerWindow, ownerSpeechMinPerDay * 60],
    ["station", stationWindow, ask.stationMinPerDay * 60]
  ]
  const next: { [Owner in MeterOwner]: Meter } = { ...meters }
  for (const [owner, window, secondsMax] of bounds) {
    const taken = take(meters[owner].emptyAtMs, window, ask.nowMs)
    if (Result.isFailure(taken)) return Result.fail(new MeterExhausted({ meter: owner, retryAfterMs: taken.failure.retryAfterMs }))
    const seconds = secondsMax === null ? Result.succeed(meters[owner].seconds) : add(meters[owner].seconds, ask.seconds, secondsMax, ask.nowMs)
    if (Result.isFailure(seconds)) return Result.fail(new MeterExhausted({ meter: owner, retryAfterMs: seconds.failure.retryAfterMs }))
    next[owner] = { emptyAtMs: taken.success, seconds: seconds.success }
  }
  return Result.succeed(next)
}

/** Undoes a reservation whose sound was never made. */
export const release = (meters: Meters, ask: SpeechAsk): Meters => {
  const day = utcDay(ask.nowMs)
  const back = (meter: Meter, window: Window, seconds: number): Meter => ({
    emptyAtMs: refund(meter.emptyAtMs, window),
    seconds: correct(meter.seconds, -seconds, day)
  })
  return { agent: back(meters.agent, agentWindow(ask.tier), 0), owner: back(meters.owner, ownerWindow, ask.seconds), station: back(meters.station, stationWindow, ask.seconds) }
}

/** Replaces the reserved airtime by what was really spoken; what turned out longer than there is room for is refused. */
export const settle = (meters: Meters, ask: SpeechAsk, spokenSec: number): Result.Result<Meters, MeterExhausted> => {
  const by = Math.ceil(spokenSec) - ask.seconds
  const day = utcDay(ask.nowMs)
  const over = (meter: Meter, max: number) => by > 0 && meter.seconds.day === day && meter.seconds.sum + by > max
  const full = over(meters.owner, ownerSpeechMinPerDay * 60) ? "owner" : over(meters.station, ask.stationMinPerDay * 60) ? "station" : null
  if (full !== null) return Result.fail(new MeterExhausted({ meter: full, retryAfterMs: (day + 1) * dayMs - ask.nowMs }))
  const spoken = (meter: Meter): Meter => ({ ...meter, seconds: correct(meter.seconds, by, day) })
  return Result.succeed({ agent: meters.agent, owner: spoken(meters.owner), station: spoken(meters.station) })
}
