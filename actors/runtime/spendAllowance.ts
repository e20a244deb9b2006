import { Clock, Effect, Result } from "effect"
import { type Allowance, type MeterOf, meterOf, refusalOf, spendOne } from "../../engine/rules/allowance/Allowance.ts"
import { Meters } from "../../engine/store/sql/Meters.ts"

/**
 * Takes one unit of an allowance, in the caller's transaction if there is one, so a later refusal costs nothing. Exact under concurrency
 * and after restarts, because the meter is stored. Fails with RateLimited.
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
    refusalOf(meter)
  )
})

/** Fails with RateLimited when no unit of an allowance is left. Takes nothing. For checks before slow work. */
export const checkAllowance = Effect.fnUntraced(function* (
  allowance: Allowance,
  whose: string,
  meter: MeterOf = "agent"
) {
  const nowMs = yield* Clock.currentTimeMillis
  const [found] = yield* (yield* Meters).read([meterOf(allowance, whose)])
  yield* Effect.fromResult(Result.mapError(spendOne(allowance, found!, nowMs), refusalOf(meter)))
})
