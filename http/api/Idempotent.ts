import { Context } from "effect"

/**
 * The authenticated caller, set by guards. Idempotency keys are scoped to it. Null for operations without a credential;
 * the address is then the caller.
 */
export const Caller = Context.Reference<string | null>("longwave/http/api/Caller", { defaultValue: () => null })

/** The credential in the body, for operations that take it only there; null if absent. */
export const BodyCredential = Context.Reference<(body: Readonly<Record<string, unknown>>) => string | null>(
  "longwave/http/api/BodyCredential",
  { defaultValue: () => () => null }
)

/**
 * Answer to a repeat under the same Idempotency-Key. `stored`: the stored answer. `secret`: the stored answer, for ten
 * minutes. `done`: only that it was done. `anew`: the key is ignored, because a stored answer would be outdated or
 * can't carry the cookie.
 */
export const OnRepeat = Context.Reference<"stored" | "secret" | "done" | "anew">("longwave/http/api/OnRepeat", {
  defaultValue: () => "stored"
})
