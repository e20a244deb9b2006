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

/** Text persona of a catalog voice, for choosing and for profiles. */
export class VoiceProfile extends Schema.Class<VoiceProfile>("VoiceProfile")({
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
  sampleUrl: Schema.NullOr(Schema.String)
}) {}

/** A line of the catalog; `claimedBy` is a handle. */
export class VoiceEntry extends Schema.Class<VoiceEntry>("VoiceEntry")({
  ...VoiceProfile.fields,
  hasTensor: Schema.Boolean,
  hasDeployedVoice: Schema.Boolean,
  claimable: Schema.Boolean,
  claimedBy: Schema.NullOr(Schema.String),
  reserved: Schema.Boolean,
  engines: Schema.Array(Schema.Literals(["PRIMARY", "SPEED"]))
}) {}

/** How to choose a voice, in words and by what a broadcaster does. */
export class SelectionGuide extends Schema.Class<SelectionGuide>("SelectionGuide")({
  text: Schema.String,
  byRole: Schema.Record(Schema.String, Schema.Array(Schema.String)),
  byMood: Schema.Record(Schema.String, Schema.Array(Schema.String))
}) {}
