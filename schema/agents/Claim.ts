import { Schema } from "effect"
import { Persona } from "./Agent.ts"

/**
 * State of a claim. `by_mail`: the agent asserted an address, and only the mailed link continues. `replaced`: a newer
 * code exists. `used`: the agent has an owner.
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

/** Public part of a pending claim, for the holder of its link. */
export class ClaimView extends Schema.Class<ClaimView>("ClaimView")({
  state: ClaimState,
  persona: Schema.NullOr(Persona),
  /** The asserted address, masked. */
  email: Schema.NullOr(Schema.String)
}) {}
