import { Schema } from "effect"
import { BlockKind, Block } from "./Block.ts"
import { BlockId } from "../Ids.ts"

const Instant = Schema.String
const nullable = Schema.NullOr(Schema.String)
/** A block as shown in public, with its next run. Local times are in `timezone`, with their offset. */
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
/** An approved plan that will air or is on the air. */
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
  upcomingEpisodes: Schema.Array(
    Schema.Struct({
      ...episode,
      startsAt: Instant,
      endsAt: Instant,
      startsAtLocal: Schema.String,
      endsAtLocal: Schema.String
    })
  )
})
export type ScheduleView = typeof ScheduleView.Type

const { id: _id, ...fields } = Block.fields

/** A block as an operator sends it; the station assigns its id. */
export const BlockDraft = Schema.Struct(fields)

export type BlockDraft = typeof BlockDraft.Type

/** An operator's change of the week. `replaces` names the blocks that the new ones replace. */
export const WeekChange = Schema.Union([
  Schema.TaggedStruct("Put", { blocks: Schema.Array(BlockDraft), replaces: Schema.Array(Schema.String) }),
  Schema.TaggedStruct("Change", {
    id: Schema.String,
    to: Schema.Struct(
      Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, Schema.optionalKey(field)])) as {
        [K in keyof typeof fields]: Schema.optionalKey<(typeof fields)[K]>
      }
    )
  }),
  Schema.TaggedStruct("Remove", { id: Schema.String })
])

export type WeekChange = typeof WeekChange.Type

/** Whether neighbours stay and a misfit is refused, or neighbours make room. */
export const WeekFit = Schema.Literals(["exact", "make_room"])

export type WeekFit = typeof WeekFit.Type

/** The week from `validFromMs` on, its new blocks, and the plans that were cancelled for it. */
export class WeekChanged extends Schema.Class<WeekChanged>("WeekChanged")({
  validFromMs: Schema.Finite,
  blocks: Schema.Array(Block),
  changed: Schema.Array(Block),
  laterMs: Schema.Array(Schema.Finite),
  cancelledPlanIds: Schema.Array(Schema.String),
  version: Schema.optionalKey(Schema.Int)
}) {}

const { nextEnd: _a, nextEndLocal: _b, nextStart: _c, nextStartLocal: _e, ...block } = ScheduleBlock.fields

/** A block as operators see it. */
export const WeekBlock = Schema.Struct({ ...block, clock: Block.fields.clock })

export type WeekBlock = typeof WeekBlock.Type

/** The whole week at an instant. `validFrom` null: the initial week. `later` lists the instants of planned changes. */
export const WeekView = Schema.Struct({
  timezone: Schema.String,
  at: Schema.String,
  validFrom: Schema.NullOr(Schema.String),
  later: Schema.Array(Schema.String),
  blocks: Schema.Array(WeekBlock)
})

export type WeekView = typeof WeekView.Type
