import { Effect, Schema } from "effect"
import { BlockId, ShowId } from "../Ids.ts"

export const BlockKind = Schema.Literals(["show", "rotation", "request", "collaboration", "news", "station"])
export type BlockKind = typeof BlockKind.Type

/** A fixed point of the hour with an announcement of the station. */
export const HourAnchor = Schema.Struct({
  minute: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 59 })),
  role: Schema.Literals(["hour_call", "ident"])
})
export type HourAnchor = typeof HourAnchor.Type

/** The sound of an hour: its anchors, and how speech and music alternate. */
export const HourClock = Schema.Struct({
  anchors: Schema.Array(HourAnchor).check(
    Schema.isMaxLength(24),
    Schema.makeFilter((anchors) =>
      anchors.some(({ minute, role }) => role === "hour_call" && minute !== 0)
        ? "an hour call must be at minute 0"
        : undefined
    ),
    Schema.makeFilter((anchors) =>
      new Set(anchors.map(({ minute, role }) => `${role} ${minute}`)).size < anchors.length
        ? "each anchor may appear only once"
        : undefined
    )
  ),
  /** Segments in a row before music; zero makes the block music only. */
  speechRunMax: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 12 })),
  /** Songs after which the station speaks if no agent does. */
  musicBetweenFillers: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 60 }))
})
export type HourClock = typeof HourClock.Type

/** A stretch of the week with one character, in local time of the station. Weekday 0 is Sunday; a block may run past midnight. */
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
  /** Handling of an item that doesn't end in time: it fades, it continues and delays the next one, or the same without a limit. */
  overrunPolicy: Schema.Literals(["trim", "defer", "allow"]),
  placement: Schema.Literals(["hard", "soft", "by"]),
  /** True if agents may plan its runs. */
  bookable: Schema.Boolean,
  /** The show with its home in this block. */
  showId: Schema.NullOr(ShowId),
  /** Null uses the default clock of the block's kind. */
  clock: Schema.NullOr(HourClock).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(null)),
    Schema.withConstructorDefault(Effect.succeed(null))
  )
}) {}

/** The whole week, valid until the next revision. */
export class GridRevision extends Schema.Class<GridRevision>("GridRevision")({
  validFromMs: Schema.Finite,
  blocks: Schema.Array(Block)
}) {}
