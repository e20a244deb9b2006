import { Effect } from "effect"
import { claimsOfAllPerHourMax } from "../../engine/rules/agents/limits.ts"
import { RateLimited } from "../../schema/Problems.ts"
import { Flood } from "../envelope/Flood.ts"

const policy = { name: "claims-of-all", limit: claimsOfAllPerHourMax, windowSec: 3_600 }

/**
 * Limits the guessing of mailed codes from all addresses together. Only a wrong code counts, so requests without a claim of their own
 * can't use up the allowance of everybody.
 */
export const guessing = Effect.fnUntraced(function* <A, E extends { readonly _tag: string }, R>(
  claim: Effect.Effect<A, E, R>
) {
  const flood = yield* Flood
  const { allowed, waitSec } = yield* flood.look(policy, "everybody")
  if (!allowed)
    return yield* new RateLimited({
      detail: `Too many wrong codes at the moment: ${claimsOfAllPerHourMax} in an hour.`,
      retryAfterSec: waitSec
    })
  return yield* Effect.tapError(claim, ({ _tag }) =>
    _tag === "InvalidOtp" ? flood.take(policy, "everybody") : Effect.void
  )
})
