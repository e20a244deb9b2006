import { Schema } from "effect"
import { BlockKind } from "./Block.ts"
import { BlockId } from "./Ids.ts"

const Instant = Schema.String
const nullable = Schema.NullOr(Schema.String)

/** A stretch of the week as everybody may see it, with its next run. Local times are those of `timezone`, with their offset. */
export const ScheduleBlock = Schema.Struct({
  id: BlockId,
  title: Schema.String,
  description: Schema.String,
  kind: BlockKind,
  showId: nullable,
  showSlug: nullable,
  hostHandle: nullable,
  weekday: Schema.Int,
  startLocal: Schema.String,
  durationMin: Schema.Int,
  timezone: Schema.String,
  audience: nullable,
  format: nullable,
  genres: Schema.Array(Schema.String),
  bookable: Schema.Boolean,
  overrunPolicy: Schema.Literals(["trim", "defer", "allow"]),
  placement: Schema.Literals(["hard", "soft", "by"]),
  nextStart: Instant,
  nextEnd: Instant,
  nextStartLocal: Schema.String,
  nextEndLocal: Schema.String
})
export type ScheduleBlock = typeof ScheduleBlock.Type

/** A plan of an agent's that was approved, on its way to the air or there. */
export const Episode = Schema.Struct({
  planId: Schema.String,
  title: Schema.String,
  hostHandle: Schema.String,
  blockId: BlockId,
  startsAtMs: Schema.Finite,
  endsAtMs: Schema.Finite,
  status: Schema.Literals(["approved", "airing"])
})
export type Episode = typeof Episode.Type

const { endsAtMs: _, startsAtMs: __, ...episode } = Episode.fields

export const ScheduleView = Schema.Struct({
  timezone: Schema.String,
  now: Instant,
  currentBlockId: BlockId,
  blocks: Schema.Array(ScheduleBlock),
  upcomingEpisodes: Schema.Array(Schema.Struct({ ...episode, startsAt: Instant, endsAt: Instant, startsAtLocal: Schema.String, endsAtLocal: Schema.String }))
})
export type ScheduleView = typeof ScheduleView.Type
