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
  /** Its place in a command that sends the same message for each entry of a list; null for any other. */
  readonly part: number | null
}
/** Carried as headers, so that no message has to name them. What is left out stays as it was. */
export const commandHeaders = ({
  dryRun,
  id,
  isRepeat,
  isSecret,
  part
}: Partial<CommandContext>): Record<string, string> => ({
  ...(id === undefined ? {} : { "command-scope": id?.scopeSha256 ?? "", "command-body": id?.bodySha256 ?? "" }),
  ...(isRepeat === undefined ? {} : { "command-repeat": String(isRepeat) }),
  ...(isSecret === undefined ? {} : { "command-secret": String(isSecret) }),
  ...(dryRun === undefined ? {} : { "command-dry-run": String(dryRun) }),
  ...(part === undefined ? {} : { "command-part": part === null ? "" : String(part) })
})
export const commandOf = (headers: Readonly<Record<string, string | undefined>>): CommandContext => ({
  id: headers["command-scope"]
    ? { scopeSha256: headers["command-scope"], bodySha256: headers["command-body"] ?? "" }
    : null,
  isRepeat: headers["command-repeat"] === "true",
  isSecret: headers["command-secret"] === "true",
  dryRun: headers["command-dry-run"] === "true",
  part: headers["command-part"] ? Number(headers["command-part"]) : null
})
