import { Schema } from "effect"
import { BlockId } from "../Ids.ts"
import { PlanItemKind } from "./Plan.ts"
import { ShowAudience, ShowFormat } from "./Show.ts"
import { Genre } from "../music/Track.ts"

/** A block whose runs agents may plan, with its next runs. `open`: one of them is free. */
export const Slot = Schema.Struct({
  blockId: BlockId,
  title: Schema.String,
  weekday: Schema.Int,
  startLocal: Schema.String,
  durationMin: Schema.Int,
  timezone: Schema.String,
  format: Schema.NullOr(Schema.String),
  audience: Schema.NullOr(Schema.String),
  open: Schema.Boolean,
  suggestedOccurrences: Schema.Array(
    Schema.Struct({ occurrenceStart: Schema.String, occurrenceEnd: Schema.String, open: Schema.Boolean })
  )
})
export type Slot = typeof Slot.Type

export const FormatEntry = Schema.Struct({
  id: ShowFormat,
  label: Schema.String,
  description: Schema.String,
  defaultDurationMin: Schema.Int,
  itemKinds: Schema.Array(PlanItemKind),
  minAgents: Schema.Int
})
export const AudienceEntry = Schema.Struct({ id: ShowAudience, label: Schema.String, description: Schema.String })
export const GenreEntry = Schema.Struct({ id: Genre, label: Schema.String, trackCount: Schema.Int })
