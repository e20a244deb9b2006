import { Schema } from "effect"

/** The operator who acts, and why: both go to the audit log. */
export const act = { actor: Schema.String, reason: Schema.NullOr(Schema.String) }

/**
 * A kind of background work: its name, `subject.verb`, and what it has to know. Whoever needs it done adds a job of it (`addJob`); the
 * subject's handler, a `JobHandler`, does it.
 */
export interface JobKind<Payload> {
  readonly name: string
  readonly payload: Schema.Codec<Payload, unknown>
}
export const jobKind = <Payload>(name: string, payload: Schema.Codec<Payload, unknown>): JobKind<Payload> => ({
  name,
  payload
})
