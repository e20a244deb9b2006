import { Schema } from "effect"

/** One supervised actor: its state and its last failure. */
export const ActorNode = Schema.Struct({
  name: Schema.String,
  state: Schema.Literals(["running", "restarting", "stopped"]),
  startedAtMs: Schema.Int,
  restarts: Schema.Int,
  lastFault: Schema.NullOr(Schema.String)
})
export type ActorNode = typeof ActorNode.Type

/** What waits for one kind of actor, and what it handled since the start of the process. */
export const MailboxFigures = Schema.Struct({
  actor: Schema.String,
  waiting: Schema.Int,
  oldestSec: Schema.Finite,
  handled: Schema.Int,
  died: Schema.Int,
  meanMs: Schema.NullOr(Schema.Finite)
})
export type MailboxFigures = typeof MailboxFigures.Type
