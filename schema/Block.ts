import { Schema } from "effect"
import { BlockId } from "./Ids.ts"

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
  overrunPolicy: Schema.Literals(["trim", "defer", "allow"]),
  placement: Schema.Literals(["hard", "soft", "by"])
}) {}
