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

/** What the HTTP interface tells an actor about the command that a message is part of. */
export interface CommandContext {
  /** Its Idempotency-Key, hashed with caller, method and path, and its body; null where it came without a key. */
  readonly id: { readonly scopeSha256: string; readonly bodySha256: string } | null
  /** It took effect before, and wasn't answered. */
  readonly isRepeat: boolean
  /** Its result holds a secret, and is kept for ten minutes only. */
  readonly isSecret: boolean
  readonly dryRun: boolean
}
/** Carried as headers, so that no message has to name them. */
export const commandHeaders = ({
  dryRun = false,
  id = null,
  isRepeat = false,
  isSecret = false
}: Partial<CommandContext>): Record<string, string> => ({
  "command-scope": id?.scopeSha256 ?? "",
  "command-body": id?.bodySha256 ?? "",
  "command-repeat": String(isRepeat),
  "command-secret": String(isSecret),
  "command-dry-run": String(dryRun)
})
export const commandOf = (headers: Readonly<Record<string, string | undefined>>): CommandContext => ({
  id: headers["command-scope"]
    ? { scopeSha256: headers["command-scope"], bodySha256: headers["command-body"] ?? "" }
    : null,
  isRepeat: headers["command-repeat"] === "true",
  isSecret: headers["command-secret"] === "true",
  dryRun: headers["command-dry-run"] === "true"
})
