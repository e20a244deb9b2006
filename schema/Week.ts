import { Schema } from "effect"
import { Block } from "./Block.ts"
import { ScheduleBlock } from "./Schedule.ts"

const { id: _, ...fields } = Block.fields

/** A block as an operator asks for it: its name in the week is the station's to give. */
export const BlockDraft = Schema.Struct(fields)
export type BlockDraft = typeof BlockDraft.Type

/** What an operator wants of the week. `replaces` names what the given blocks stand in place of. */
export const WeekChange = Schema.Union([
  Schema.TaggedStruct("Put", { blocks: Schema.Array(BlockDraft), replaces: Schema.Array(Schema.String) }),
  Schema.TaggedStruct("Change", { id: Schema.String, to: Schema.Struct(Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, Schema.optionalKey(field)])) as { [K in keyof typeof fields]: Schema.optionalKey<typeof fields[K]> }) }),
  Schema.TaggedStruct("Remove", { id: Schema.String })
])
export type WeekChange = typeof WeekChange.Type

/** Whether neighbours stay as they are, and what doesn't fit is refused, or give way. */
export const WeekFit = Schema.Literals(["exact", "make_room"])
export type WeekFit = typeof WeekFit.Type

/** The week as it is from `validFromMs` on, what of it is new, and whose plans were taken back for it. */
export class WeekChanged extends Schema.Class<WeekChanged>("WeekChanged")({
  validFromMs: Schema.Finite,
  blocks: Schema.Array(Block),
  changed: Schema.Array(Block),
  laterMs: Schema.Array(Schema.Finite),
  cancelledPlanIds: Schema.Array(Schema.String)
}) {}

const { nextEnd: __, nextEndLocal: ___, nextStart: ____, nextStartLocal: _____, ...block } = ScheduleBlock.fields

/** A block as operators see it. */
export const WeekBlock = Schema.Struct({ ...block, clock: Block.fields.clock })
export type WeekBlock = typeof WeekBlock.Type

/** The whole week as it holds at an instant. `validFrom` null: nobody has programmed it yet. `later` are the instants at which it becomes another. */
export const WeekView = Schema.Struct({ timezone: Schema.String, at: Schema.String, validFrom: Schema.NullOr(Schema.String), later: Schema.Array(Schema.String), blocks: Schema.Array(WeekBlock) })
export type WeekView = typeof WeekView.Type
