import { Context, Effect } from "effect"
import { claimsOfAllPerHourMax } from "../../../engine/rules/agents/limits.ts"
import { RateLimited } from "../../../schema/Problems.ts"
import type { Allowance, Policy } from "../Counted.ts"

export const claimsOfAll: Policy = { name: "claims-of-all", limit: claimsOfAllPerHourMax, windowSec: 3_600 }

/** The allowance of wrong codes from all addresses together. The envelope provides it. */
export const ClaimGuesses = Context.Reference<{
  /** Whether one more would be allowed; counts nothing. */
  readonly look: Effect.Effect<Pick<Allowance, "allowed" | "waitSec">>
  readonly count: Effect.Effect<unknown>
}>("longwave/http/ClaimGuesses", {
  defaultValue: () => ({ look: Effect.succeed({ allowed: true, waitSec: 0 }), count: Effect.void })
})

/**
 * Limits the guessing of mailed codes from all addresses together. Only a wrong code counts, so requests without a claim of their own
 * can't use up everybody's allowance.
 */
export const limitGuesses = Effect.fnUntraced(function* <A, E extends { readonly _tag: string }, R>(
  claim: Effect.Effect<A, E, R>
) {
  const { count, look } = yield* ClaimGuesses
  const { allowed, waitSec } = yield* look
  if (!allowed)
    return yield* new RateLimited({
      detail: `Too many wrong codes at the moment: ${claimsOfAllPerHourMax} in an hour.`,
      retryAfterSec: waitSec
    })
  return yield* Effect.tapError(claim, ({ _tag }) => (_tag === "InvalidOtp" ? count : Effect.void))
})
