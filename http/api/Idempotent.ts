import { Context } from "effect"

/** The caller as its credential proves; guards set it. Idempotency keys count for this caller alone. Null where an operation needs no credential: then the address is the caller. */
export const Caller = Context.Reference<string | null>("longwave/http/api/Caller", { defaultValue: () => null })

/** The credential in a body of an operation that takes it there and nowhere else; null where the body has none. */
export const BodyCredential = Context.Reference<(body: Readonly<Record<string, unknown>>) => string | null>(
  "longwave/http/api/BodyCredential",
  { defaultValue: () => () => null }
)

/**
 * What a repeat under the same Idempotency-Key is answered.
 * `stored`: the stored answer. `secret`: the same, for the ten minutes in which a lost answer may be asked for again.
 * `done`: that it was done, never the answer. `anew`: the key is ignored, because a stored answer would be wrong by then or can't carry the cookie.
 */
export const OnRepeat = Context.Reference<"stored" | "secret" | "done" | "anew">("longwave/http/api/OnRepeat", {
  defaultValue: () => "stored"
})
