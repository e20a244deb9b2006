import { Schema } from "effect"
import { ItemId } from "../Ids.ts"

/** What waits for the air under a name of its own. */
export const AiringSubject = Schema.Literals(["segment", "call", "song_request", "plan_part", "track"])
export type AiringSubject = typeof AiringSubject.Type

export const AiringState = Schema.Literals(["waiting", "placed", "airing", "aired", "withdrawn", "expired", "failed"])
export type AiringState = typeof AiringState.Type

/** The way of one thing to the air. `id` is its name in the rundown and in the as-run log. */
export const Airing = Schema.Struct({
  id: Schema.String,
  subject: AiringSubject,
  state: AiringState,
  /** The item of the rundown that it is heard with. */
  placement: Schema.NullOr(ItemId),
  expectedAtMs: Schema.NullOr(Schema.Finite),
  begunAtMs: Schema.NullOr(Schema.Finite),
  /** For a requested song: when enough of it had been heard. */
  endedAtMs: Schema.NullOr(Schema.Finite),
  /** Null until it has aired. */
  complete: Schema.NullOr(Schema.Boolean),
  /** It was on the air and left it too early. */
  cut: Schema.Boolean,
  /** How often it lost its place. */
  displacements: Schema.Int,
  reason: Schema.NullOr(Schema.String),
  /** When its state last changed. A lost place is no such change: time spent waiting adds up. */
  changedAtMs: Schema.Finite
})
export type Airing = typeof Airing.Type
