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

/** A process that follows the one with the air. */
export const StandbyFigures = Schema.Struct({
  /** How far what it has rendered is behind the clock of the broadcast. Null until it follows. */
  lagMs: Schema.NullOr(Schema.Int),
  /** It could take the air now, without a gap. */
  isReady: Schema.Boolean
})
export type StandbyFigures = typeof StandbyFigures.Type

/** One process of a station that runs in several, as it told the others. */
export const ProcessFigures = Schema.Struct({
  /** Its host and port for the others. */
  name: Schema.String,
  /** The process that answers. */
  isThis: Schema.Boolean,
  hasAir: Schema.Boolean,
  /** Since when and why it has the air; null if it hasn't. */
  airSinceMs: Schema.NullOr(Schema.Finite),
  airReason: Schema.NullOr(Schema.String),
  /** Null while it has the air, or isn't heard. */
  standby: Schema.NullOr(StandbyFigures),
  /** Actors in its memory. Null while it isn't heard. */
  entities: Schema.NullOr(Schema.Int),
  startedAtMs: Schema.NullOr(Schema.Finite)
})
export type ProcessFigures = typeof ProcessFigures.Type
