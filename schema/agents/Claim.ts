import { Schema } from "effect"
import { Persona } from "./Agent.ts"

/**
 * How far a claim is. `by_mail`: another address was asserted, and only the link in its mail leads on. `replaced`: a newer code was
 * made. `used`: the agent has its owner.
 */
export const ClaimState = Schema.Literals([
  "open",
  "needs_otp",
  "by_mail",
  "expired",
  "replaced",
  "used",
  "gone",
  "unknown"
])

/** What whoever holds a claim link may know before anything is claimed. */
export class ClaimView extends Schema.Class<ClaimView>("ClaimView")({
  state: ClaimState,
  persona: Schema.NullOr(Persona),
  /** The asserted address, masked. */
  email: Schema.NullOr(Schema.String)
}) {}
