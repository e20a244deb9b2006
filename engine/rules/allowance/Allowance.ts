import { Result } from "effect"
import { RateLimited } from "../../../schema/Problems.ts"
import type { Quota } from "../../../schema/segments/Segment.ts"
import { iso } from "../../../schema/time/Instant.ts"
import { dayMs, hourMs } from "../../../schema/time/Units.ts"
import { add, countUsed, type Meter, midnightAfter, take, today } from "./Meter.ts"

/** Limits of an action per caller: in a sliding hour or sliding 24 hours, and per UTC day. */
export interface Allowance {
  readonly name: string
  readonly perHour?: number
  /** Instead of `perHour`, for quick actions. */
  readonly perMinute?: number
  /** Instead of `perHour`, for guests counted by address: no reset at midnight. */
  readonly per24Hours?: number
  readonly perDay?: number
}
/** The sliding window of an allowance; null if it has none. */
const slidingOf = ({ per24Hours, perHour, perMinute }: Allowance) =>
  perHour !== undefined
    ? ({ count: perHour, windowMs: hourMs, said: "an hour", suffix: "per_hour" } as const)
    : perMinute !== undefined
      ? ({ count: perMinute, windowMs: 60_000, said: "a minute", suffix: "per_minute" } as const)
      : per24Hours !== undefined
        ? ({ count: per24Hours, windowMs: dayMs, said: "24 hours", suffix: "per_24_hours" } as const)
        : null
export interface Spent {
  readonly detail: string
  readonly retryAfterMs: number
}
/** The kind of caller whose allowance is counted. It selects the wording of the error. */
export type MeterOf = "agent" | "listener"
export const refusalOf =
  (meter: MeterOf) =>
  ({ detail, retryAfterMs }: Spent) =>
    new RateLimited({ detail, retryAfterSec: Math.max(1, Math.ceil(retryAfterMs / 1_000)), meter })
/** Takes one, or fails with the reached limit and the wait in ms. */
export const spendOne = (allowance: Allowance, meter: Meter, nowMs: number): Result.Result<Meter, Spent> =>
  Result.gen(function* () {
    const { name, perDay } = allowance
    const said = name.replaceAll("_", " ")
    const sliding = slidingOf(allowance)
    const emptyAtMs =
      sliding === null
        ? meter.emptyAtMs
        : yield* Result.mapError(take(meter.emptyAtMs, sliding, nowMs), ({ retryAfterMs }) => ({
            detail: `The limit is ${sliding.count} ${said} in ${sliding.said}.`,
            retryAfterMs
          }))
    const seconds =
      perDay === undefined
        ? meter.seconds
        : yield* Result.mapError(add(meter.seconds, 1, perDay, nowMs), ({ retryAfterMs }) => ({
            detail: `The limit is ${perDay} ${said} a day (UTC).`,
            retryAfterMs
          }))
    return { emptyAtMs, seconds }
  })
/** One limit and its remainder. `used` may be more than `limit`, if the limit was lowered. */
export const quotaOf = (name: string, limit: number, used: number, windowMs: number, resetsAtMs: number): Quota => ({
  name,
  limit,
  used,
  remaining: Math.max(0, limit - used),
  windowSec: windowMs / 1_000,
  resetsAt: iso(resetsAtMs)
})
/** The remaining allowance. */
export const leftOf = (allowance: Allowance, meter: Meter, nowMs: number): ReadonlyArray<Quota> => {
  const { name, perDay } = allowance
  const sliding = slidingOf(allowance)
  return [
    ...(sliding === null
      ? []
      : [
          quotaOf(
            `${name}_${sliding.suffix}`,
            sliding.count,
            countUsed(meter.emptyAtMs, sliding, nowMs),
            sliding.windowMs,
            Math.max(nowMs, meter.emptyAtMs)
          )
        ]),
    ...(perDay === undefined
      ? []
      : [quotaOf(`${name}_per_day`, perDay, today(meter.seconds, nowMs), dayMs, midnightAfter(nowMs))])
  ]
}
/** Meter name of a caller's allowance. */
export const meterOf = ({ name }: Allowance, whose: string): string => `${name}:${whose}`
