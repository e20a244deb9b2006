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
