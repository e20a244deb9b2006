import { Schema } from "effect"

/** A configured provider of music and its health, as operators see it. */
export const MusicProviderState = Schema.Struct({
  id: Schema.String,
  /** The name in the mark of its sounds. */
  name: Schema.String,
  /** `out`: it failed several times in a row and rests; requests for it wait. */
  state: Schema.Literals(["ready", "out"]),
  lastFailure: Schema.NullOr(Schema.Struct({ reason: Schema.String, detail: Schema.String, atMs: Schema.Finite })),
  /** Pieces made and orders failed since the start. */
  pieces: Schema.Int,
  failures: Schema.Int,
  /** US dollars; null if the operator states none. */
  pricePerPiece: Schema.NullOr(Schema.Finite)
})
export type MusicProviderState = typeof MusicProviderState.Type
