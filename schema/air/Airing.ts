import { Schema } from "effect"
import { ItemId } from "../Ids.ts"

/** Kinds of subject that wait for the air on their own. */
export const AiringSubject = Schema.Literals(["segment", "call", "song_request", "plan_part", "track"])
export type AiringSubject = typeof AiringSubject.Type

export const AiringState = Schema.Literals(["waiting", "placed", "airing", "aired", "withdrawn", "expired", "failed"])
export type AiringState = typeof AiringState.Type

/** One subject's way to the air. `id` is its name in the rundown and in the as-run log. */
export const Airing = Schema.Struct({
  id: Schema.String,
  subject: AiringSubject,
  state: AiringState,
  /** The rundown item that airs it. */
  placement: Schema.NullOr(ItemId),
  expectedAtMs: Schema.NullOr(Schema.Finite),
  begunAtMs: Schema.NullOr(Schema.Finite),
  /** For a requested song: when enough of it had been played. */
  endedAtMs: Schema.NullOr(Schema.Finite),
  /** Null until it has aired. */
  complete: Schema.NullOr(Schema.Boolean),
  /** True if it was cut before it counted as aired. */
  cut: Schema.Boolean,
  /** Number of times it lost its place. */
  displacements: Schema.Int,
  reason: Schema.NullOr(Schema.String),
  /** Time of the last change of state. Losing a place doesn't change it, so waiting time accumulates. */
  changedAtMs: Schema.Finite
})
export type Airing = typeof Airing.Type
