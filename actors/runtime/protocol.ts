import { Context, Effect, Schema } from "effect"

/** The acting operator and the reason. Both go to the audit log. */
export const act = { actor: Schema.String, reason: Schema.NullOr(Schema.String) }

/** The version of the resource that the operator saw. The command is refused if it has changed since; null: any version. */
export const seen = { seen: Schema.optionalKey(Schema.NullOr(Schema.String)) }

/** The command is only tried: it answers what it would do. */
export const tried = { dryRun: Schema.optionalKey(Schema.Boolean) }

/** A kind of job: its name, `subject.verb`, and its payload. `addJob` adds one; the subject's `JobHandler` runs it. */
export interface JobKind<Payload> {
  readonly name: string
  readonly payload: Schema.Codec<Payload, unknown>
}
export const jobKind = <Payload>(name: string, payload: Schema.Codec<Payload, unknown>): JobKind<Payload> => ({
  name,
  payload
})

/** The command that a message is part of, from the HTTP interface. */
export interface CommandContext {
  /** Hashes of the Idempotency-Key (with caller, method and path) and of the body. Null without a key. */
  readonly id: { readonly scopeSha256: string; readonly bodySha256: string } | null
  /** An earlier attempt may have taken effect without being answered. */
  readonly isRepeat: boolean
  /** The result contains a secret and is kept for ten minutes only. */
  readonly isSecret: boolean
  readonly dryRun: boolean
  /** Index of the message in a command that sends one message per list entry; otherwise null. */
  readonly part: number | null
}
/** Message headers that carry the command, so that payloads don't. Omitted fields keep the values of the calling message. */
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

/**
 * Annotation of an actor that remembers nothing between its messages. In a station of one process its ids need no instances: a message calls its
 * handler (`StatelessActors.ts`). Senders see no difference. Its layer is a `statelessLayer`.
 */
export const Stateless = Context.Reference<boolean>("longwave/actors/Stateless", { defaultValue: () => false })
/** Header of a message to a stateless actor without instances: the id that it is for. */
export const actorIdHeader = "actor-id"

/** Sends a message whose answer nobody awaits, outside of the sender's trace. A failure is the receiver's affair. */
export const sendLater = <A, E, R>(message: Effect.Effect<A, E, R>): Effect.Effect<void, never, R> =>
  Effect.asVoid(Effect.forkDetach(Effect.ignoreCause(Effect.withSpan(message, "sendLater", { root: true }))))
