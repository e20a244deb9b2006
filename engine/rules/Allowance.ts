import { Result } from "effect"
import { Quota } from "../../schema/Segment.ts"
import { add, dayMs, hourMs, type Meter, take, today, used, utcDay } from "./SpeechQuota.ts"

/** How many of something a caller may do: in any hour, on a UTC day, or both. */
export interface Allowance {
  readonly name: string
  readonly perHour?: number
  readonly perDay?: number
}

export interface Spent {
  readonly detail: string
  readonly retryAfterMs: number
}

/** Takes one, or says which of the two bounds is reached and for how long. */
export const spendOne = ({ name, perDay, perHour }: Allowance, meter: Meter, nowMs: number): Result.Result<Meter, Spent> => Result.gen(function*() {
  const said = name.replaceAll("_", " ")
  const emptyAtMs = perHour === undefined ? meter.emptyAtMs : yield* Result.mapError(take(meter.emptyAtMs, { count: perHour, windowMs: hourMs }, nowMs),
    ({ retryAfterMs }) => ({ detail: `${perHour} ${said} in an hour are all there are.`, retryAfterMs }))
  const seconds = perDay === undefined ? meter.seconds : yield* Result.mapError(add(meter.seconds, 1, perDay, nowMs),
    ({ retryAfterMs }) => ({ detail: `${perDay} ${said} on one day (UTC) are all there are.`, retryAfterMs }))
  return { emptyAtMs, seconds }
})

const midnight = (nowMs: number) => (utcDay(nowMs) + 1) * dayMs

/** What is left of an allowance. */
export const leftOf = ({ name, perDay, perHour }: Allowance, meter: Meter, nowMs: number): ReadonlyArray<Quota> => {
  const quota = (suffix: string, limit: number, spent: number, windowMs: number, resetsAtMs: number) =>
    Quota.make({ name: `${name}_${suffix}`, limit, used: spent, remaining: Math.max(0, limit - spent), windowSec: windowMs / 1_000, resetsAt: new Date(resetsAtMs).toISOString() })
  return [
    ...perHour === undefined ? [] : [quota("per_hour", perHour, used(meter.emptyAtMs, { count: perHour, windowMs: hourMs }, nowMs), hourMs, Math.max(nowMs, meter.emptyAtMs))],
    ...perDay === undefined ? [] : [quota("per_day", perDay, today(meter.seconds, nowMs), dayMs, midnight(nowMs))]
  ]
}

/** Where an allowance of somebody is counted. */
export const meterOf = ({ name }: Allowance, whose: string): string => `${name}:${whose}`
