import { Schema } from "effect"
import { AssetId, ItemId } from "../Ids.ts"
import { AirPlan, ItemLabel, Sample, Started } from "./Air.ts"

/** An item for the mixer without its sounds, which each process has on its own disk. */
export class ScriptItem extends Schema.Class<ScriptItem>("ScriptItem")({
  itemId: ItemId,
  label: ItemLabel,
  assetId: AssetId,
  bedAssetId: Schema.NullOr(AssetId),
  startSample: Sample,
  pauseSamples: Schema.optionalKey(Schema.Int),
  speech: Schema.Boolean,
  trace: Schema.Array(Schema.String)
}) {}

export class ScriptPlan extends Schema.Class<ScriptPlan>("ScriptPlan")({
  ...AirPlan.fields,
  items: Schema.Array(ScriptItem)
}) {}

/** `AirState` without sounds. */
export class ScriptState extends Schema.Class<ScriptState>("ScriptState")({
  plan: Schema.NullOr(ScriptPlan),
  library: Schema.Array(AssetId),
  emergency: Schema.NullOr(Schema.String),
  live: Schema.NullOr(Schema.Struct({ label: ItemLabel, reason: Schema.String })),
  current: Schema.NullOr(Started),
  discontinuities: Schema.Struct({ aac128: Schema.Int, aac64: Schema.Int })
}) {}

/** `AirStep` without sounds. */
export const ScriptStep = Schema.Union([
  Schema.TaggedStruct("Planned", { plan: ScriptPlan, atSample: Sample }),
  Schema.TaggedStruct("Emergency", { on: Schema.Boolean, reason: Schema.String, atSample: Sample }),
  Schema.TaggedStruct("Live", { label: Schema.NullOr(ItemLabel), reason: Schema.String, atSample: Sample }),
  Schema.TaggedStruct("Taken", { atSample: Sample })
])
export type ScriptStep = typeof ScriptStep.Type

/** One step of the owner of the air, and what its chain plays after it. Numbers of an owner rise by one. */
export class ScriptLine extends Schema.Class<ScriptLine>("ScriptLine")({
  owner: Schema.String,
  number: Schema.Int,
  step: ScriptStep,
  state: ScriptState
}) {}
