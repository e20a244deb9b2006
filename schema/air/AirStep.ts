import { Schema } from "effect"
import { AirPlan, ItemLabel, Sample, StagedSound, Started } from "./Air.ts"

/**
 * A command that changed what the mixer plays, with the first sample that it changes. The mixer is a function of its steps: the same steps
 * at the same samples make the same sound in another process.
 */
export const AirStep = Schema.Union([
  Schema.TaggedStruct("Planned", { plan: AirPlan, atSample: Sample }),
  Schema.TaggedStruct("Emergency", { on: Schema.Boolean, reason: Schema.String, atSample: Sample }),
  /** Null label: off. The sound itself stays with the process that receives it. */
  Schema.TaggedStruct("Live", { label: Schema.NullOr(ItemLabel), reason: Schema.String, atSample: Sample }),
  /** No change: a process has taken the air, or its earlier steps are missing. */
  Schema.TaggedStruct("Taken", { atSample: Sample })
])
export type AirStep = typeof AirStep.Type

/** What a chain plays and continues with. Enough for another chain to begin in the middle of it. */
export class AirState extends Schema.Class<AirState>("AirState")({
  /** As applied, with the items that still sound. */
  plan: Schema.NullOr(AirPlan),
  library: Schema.Array(StagedSound),
  /** Reason of the emergency programme. */
  emergency: Schema.NullOr(Schema.String),
  live: Schema.NullOr(Schema.Struct({ label: ItemLabel, reason: Schema.String })),
  current: Schema.NullOr(Started),
  /** Discontinuities of each HLS variant since the station's beginning. */
  discontinuities: Schema.Struct({ aac128: Schema.Int, aac64: Schema.Int })
}) {}
