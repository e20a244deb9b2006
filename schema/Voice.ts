import { Schema } from "effect"

export const Gender = Schema.Literals(["male", "female", "nonbinary"])
export type Gender = typeof Gender.Type

/** A voice of the station's catalog as it is shown; how it is made is the engine's own affair. */
export class Voice extends Schema.Class<Voice>("Voice")({
  voiceId: Schema.String,
  name: Schema.String,
  provider: Schema.Literals(["PRIMARY", "SPEED"]),
  gender: Gender,
  ageBand: Schema.Literals(["young", "adult", "senior"]),
  accent: Schema.String,
  pace: Schema.Literals(["slow", "measured", "brisk", "fast"]),
  timbre: Schema.Array(Schema.String),
  personaBrief: Schema.String,
  sampleLine: Schema.String,
  hasTensor: Schema.Boolean,
  hasDeployedVoice: Schema.Boolean,
  claimable: Schema.Boolean,
  reserved: Schema.Boolean,
  engines: Schema.Array(Schema.Literals(["PRIMARY", "SPEED"]))
}) {}
