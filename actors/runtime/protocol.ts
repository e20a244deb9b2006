import { Schema } from "effect"

/** The operator who acts, and why: both go to the audit log. */
export const act = { actor: Schema.String, reason: Schema.NullOr(Schema.String) }
