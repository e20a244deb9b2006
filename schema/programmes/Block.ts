import { Effect, Schema } from "effect"
import { BlockId, ShowId } from "../Ids.ts"

export const BlockKind = Schema.Literals(["show", "rotation", "request", "collaboration", "news", "station"])
export type BlockKind = typeof BlockKind.Type

/** A fixed point of the hour: the station says who or when it is. */
export const HourAnchor = Schema.Struct({
  minute: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 59 })),
  role: Schema.Literals(["hour_call", "ident"])
})
export type HourAnchor = typeof HourAnchor.Type

/** How an hour sounds: its anchors, and how words and music take turns between them. */
export const HourClock = Schema.Struct({
  anchors: Schema.Array(HourAnchor).check(
    Schema.isMaxLength(24),
    Schema.makeFilter((anchors) =>
      anchors.some(({ minute, role }) => role === "hour_call" && minute !== 0)
        ? "an hour call says the full hour: it stands at minute 0"
        : undefined
    ),
    Schema.makeFilter((anchors) =>
      new Set(anchors.map(({ minute, role }) => `${role} ${minute}`)).size < anchors.length
        ? "each anchor stands there once"
        : undefined
    )
  ),
  /** Segments in a row before music has its turn; with none the block is music alone. */
  speechRunMax: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 12 })),
  /** Songs after which the house says something, when nobody else has. */
  musicBetweenFillers: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 60 }))
})
export type HourClock = typeof HourClock.Type

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
  showId: Schema.NullOr(ShowId),
  /** Null sounds as blocks of its kind do. */
  clock: Schema.NullOr(HourClock).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(null)),
    Schema.withConstructorDefault(Effect.succeed(null))
  )
}) {}

/** The whole week as it holds from an instant on, until the next revision does. */
export class GridRevision extends Schema.Class<GridRevision>("GridRevision")({
  validFromMs: Schema.Finite,
  blocks: Schema.Array(Block)
}) {}
