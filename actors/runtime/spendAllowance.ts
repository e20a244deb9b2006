import { Clock, Effect, Result } from "effect"
import { type Allowance, meterOf, spendOne } from "../../engine/rules/allowance/Allowance.ts"
import { Meters } from "../../engine/store/sql/Meters.ts"
import { RateLimited } from "../../schema/Problems.ts"

/**
 * Takes one of an allowance, in the caller's transaction where there is one: what is refused later isn't counted. Exact under any
 * number at once, and still true after a restart, for the meter lies in the store.
 */
export const spendAllowance = Effect.fnUntraced(function* (
  allowance: Allowance,
  whose: string,
  dryRun = false,
  meter: "agent" | "listener" = "agent"
) {
  const nowMs = yield* Clock.currentTimeMillis
  const meters = yield* Meters
  const names = [meterOf(allowance, whose)]
  yield* (
    dryRun
      ? Effect.flatMap(meters.read(names), ([meter]) =>
          Effect.asVoid(Effect.fromResult(spendOne(allowance, meter!, nowMs)))
        )
      : meters.change(names, ([meter]) => Result.map(spendOne(allowance, meter!, nowMs), (next) => [next]))
  ).pipe(
    Effect.mapError(
      ({ detail, retryAfterMs }) =>
        new RateLimited({ detail, retryAfterSec: Math.max(1, Math.ceil(retryAfterMs / 1_000)), meter })
    )
  )
})
