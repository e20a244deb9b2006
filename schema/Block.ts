import { Schema } from "effect"
import { BlockId, ShowId } from "./Ids.ts"

export const BlockKind = Schema.Literals(["show", "rotation", "request", "collaboration", "news", "station"])
export type BlockKind = typeof BlockKind.Type

/**
 * A stretch of the week with one character, fixed to the wall clock of the station's zone.
 * Weekday 0 is Sunday; a block may run past midnight.
 */
export class Block extends Schema.Class<Block>("Block")({
  id: BlockId,
  title: Schema.String,
  description: Schema.String,
  kind: BlockKind,
  weekday: Schema.Int,
  startMinute: Schema.Int,
  durationMin: Schema.Int,
  audience: Schema.NullOr(Schema.String),
  format: Schema.NullOr(Schema.String),
  genres: Schema.Array(Schema.String),
  /** What happens to what doesn't end in time: it is faded, it goes on and what follows begins later, or the same without a bound. */
  overrunPolicy: Schema.Literals(["trim", "defer", "allow"]),
  placement: Schema.Literals(["hard", "soft", "by"]),
  /** Agents may plan a run of it. */
  bookable: Schema.Boolean,
  /** The show that has its home here. */
  showId: Schema.NullOr(ShowId)
}) {}

/** The whole week as it holds from an instant on, until the next revision does. */
export class GridRevision extends Schema.Class<GridRevision>("GridRevision")({
  validFromMs: Schema.Finite,
  blocks: Schema.Array(Block)
}) {}
