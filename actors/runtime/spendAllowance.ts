import { Clock, Effect, Result } from "effect"
import { type Allowance, meterOf, type Spent, spendOne } from "../../engine/rules/allowance/Allowance.ts"
import { Meters } from "../../engine/store/sql/Meters.ts"
import { RateLimited } from "../../schema/Problems.ts"

/** Whose allowances are counted: the limit that was reached is told to either in its own words. */
export type MeterOf = "agent" | "listener"

const refused =
  (meter: MeterOf) =>
  ({ detail, retryAfterMs }: Spent) =>
    new RateLimited({ detail, retryAfterSec: Math.max(1, Math.ceil(retryAfterMs / 1_000)), meter })

/**
 * Takes one of an allowance, in the caller's transaction where there is one: what is refused later isn't counted. Exact under any
 * number at once, and still true after a restart, for the meter lies in the store.
 */
export const spendAllowance = Effect.fnUntraced(function* (
  allowance: Allowance,
  whose: string,
  meter: MeterOf = "agent"
) {
  const nowMs = yield* Clock.currentTimeMillis
  const meters = yield* Meters
  yield* Effect.mapError(
    meters.change([meterOf(allowance, whose)], ([found]) =>
      Result.map(spendOne(allowance, found!, nowMs), (next) => [next])
    ),
    refused(meter)
  )
})

/** Whether one of an allowance is left, before what it is for costs time. Nothing is taken. */
export const checkAllowance = Effect.fnUntraced(function* (
  allowance: Allowance,
  whose: string,
  meter: MeterOf = "agent"
) {
  const nowMs = yield* Clock.currentTimeMillis
  const [found] = yield* (yield* Meters).read([meterOf(allowance, whose)])
  yield* Effect.fromResult(Result.mapError(spendOne(allowance, found!, nowMs), refused(meter)))
})
