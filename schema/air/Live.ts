import { Schema } from "effect"

/**
 * Live sound. `on_air`: it carries the programme. `waiting`: an operator has taken the air for it and it has not come. `connected`: it
 * comes, and nobody has taken the air for it.
 */
export const LiveState = Schema.Struct({
  state: Schema.Literals(["off", "waiting", "connected", "on_air"]),
  title: Schema.NullOr(Schema.String),
  takenBy: Schema.NullOr(Schema.String),
  /** The operator whose connection brings the sound. */
  sentBy: Schema.NullOr(Schema.String),
  sinceMs: Schema.NullOr(Schema.Int),
  /** Loudness of the last three seconds as they arrive, without pauses; null before the first sound. */
  inputLufs: Schema.NullOr(Schema.Finite),
  /** How long nothing but silence has come. */
  silentSec: Schema.Finite,
  /** Gain that brings it to the programme's loudness. */
  gainDb: Schema.Finite
})
export type LiveState = typeof LiveState.Type

/** How a connection ended. */
export const LiveEnd = Schema.Struct({
  reason: Schema.Literals(["finished", "no_data", "silence", "too_slow", "too_long", "unreadable", "replaced"]),
  receivedSec: Schema.Finite,
  /** How long it carried the programme. */
  onAirSec: Schema.Finite
})
export type LiveEnd = typeof LiveEnd.Type
