import { Schema } from "effect"

export const Gender = Schema.Literals(["male", "female", "nonbinary"])
export type Gender = typeof Gender.Type

export const AgeBand = Schema.Literals(["young", "adult", "senior"])
export const Pace = Schema.Literals(["slow", "measured", "brisk", "fast"])
export const StationEngine = Schema.Literals(["PRIMARY", "SPEED"])

/** Providers of speech with a key of the agent's owner, who pays them. */
export const ownKeyProviders = ["elevenlabs", "openai", "cartesia", "azure"] as const
export const VoiceProvider = Schema.Literals([...StationEngine.literals, ...ownKeyProviders])
export type VoiceProvider = typeof VoiceProvider.Type

export const isStationEngine = Schema.is(StationEngine)

/** Accent and style of a voice, and the words that describe its timbre. */
export const Accent = Schema.Literals([
  "American",
  "New York",
  "British",
  "Received Pronunciation",
  "Scottish",
  "Lancastrian",
  "West Midlands",
  "Caribbean"
])
export type Accent = typeof Accent.Type
export const TimbreWord = Schema.Literals([
  "warm",
  "resonant",
  "clear",
  "velvety",
  "intimate",
  "crisp",
  "airy",
  "bright",
  "dark",
  "gravelly",
  "nasal",
  "synthetic",
  "husky",
  "thin",
  "hall"
])
export type TimbreWord = typeof TimbreWord.Type

/**
 * Parameters of a voice beside its persona: median pitch, length of the vocal tract (100 is the accent's own), second
 * formant, and tempo. Voices added by operators carry them; engines know their own.
 */
export const VoiceSound = Schema.Struct({
  pitchHz: Schema.Finite.check(Schema.isBetween({ minimum: 60, maximum: 300 })),
  tractPct: Schema.Finite.check(Schema.isBetween({ minimum: 80, maximum: 125 })),
  secondPct: Schema.Finite.check(Schema.isBetween({ minimum: 88, maximum: 112 })),
  wordsPerMin: Schema.Finite.check(Schema.isBetween({ minimum: 110, maximum: 220 }))
})

/** Persona of a voice in words. */
const persona = {
  voiceId: Schema.String,
  name: Schema.String,
  provider: StationEngine,
  gender: Gender,
  ageBand: AgeBand,
  accent: Schema.String,
  pace: Pace,
  timbre: Schema.Array(Schema.String),
  personaBrief: Schema.String,
  sampleLine: Schema.String
}

/** A voice of the catalog as shown; its engine keeps its parameters. */
export class Voice extends Schema.Class<Voice>("Voice")({
  ...persona,
  hasTensor: Schema.Boolean,
  hasDeployedVoice: Schema.Boolean,
  claimable: Schema.Boolean,
  reserved: Schema.Boolean,
  engines: Schema.Array(StationEngine),
  sound: Schema.optionalKey(VoiceSound)
}) {}

/** Text persona of a catalog voice, for choosing and for profiles. */
export class VoiceProfile extends Schema.Class<VoiceProfile>("VoiceProfile")({
  ...persona,
  sampleUrl: Schema.NullOr(Schema.String)
}) {}

/** A catalog entry; `claimedBy` is a handle. */
export class VoiceEntry extends Schema.Class<VoiceEntry>("VoiceEntry")({
  ...VoiceProfile.fields,
  hasTensor: Schema.Boolean,
  hasDeployedVoice: Schema.Boolean,
  claimable: Schema.Boolean,
  claimedBy: Schema.NullOr(Schema.String),
  reserved: Schema.Boolean,
  engines: Schema.Array(StationEngine)
}) {}

/** Advice for choosing a voice, in general and by role. */
export class SelectionGuide extends Schema.Class<SelectionGuide>("SelectionGuide")({
  text: Schema.String,
  byRole: Schema.Record(Schema.String, Schema.Array(Schema.String)),
  byMood: Schema.Record(Schema.String, Schema.Array(Schema.String))
}) {}

/** Operators' settings of a voice; unset ones come from the engine. */
export const VoiceChanges = Schema.Struct({
  reserved: Schema.optionalKey(Schema.Boolean),
  hasDeployedVoice: Schema.optionalKey(Schema.Boolean),
  /** False hides it from the catalog; its owner keeps it. */
  listed: Schema.optionalKey(Schema.Boolean),
  personaBrief: Schema.optionalKey(Schema.String),
  sampleLine: Schema.optionalKey(Schema.String)
})
export type VoiceChanges = typeof VoiceChanges.Type

export const VoiceKind = Schema.Literals(["unique", "shared_default"])

/** An agent's stored voice. */
export class VoiceState extends Schema.Class<VoiceState>("VoiceState")({
  /** The voice that the station uses for its scripts; null while the catalog is empty. */
  voice: Schema.NullOr(Voice),
  kind: VoiceKind,
  shown: Schema.NullOr(Voice),
  provider: Schema.NullOr(VoiceProvider),
  /** Voice id at an outside provider. */
  providerVoiceId: Schema.NullOr(Schema.String),
  description: Schema.NullOr(Schema.String),
  provenanceNotes: Schema.NullOr(Schema.String),
  rightsAttested: Schema.Boolean,
  /** Claims that still count, oldest first. */
  changedAtMs: Schema.Array(Schema.Finite)
}) {}

/** An agent's voice as it reads it. */
export const OwnVoice = Schema.Struct({
  voiceProvider: Schema.NullOr(Schema.String),
  voiceId: Schema.NullOr(Schema.String),
  displayVoiceId: Schema.NullOr(Schema.String),
  voiceDescription: Schema.NullOr(Schema.String),
  provenanceNotes: Schema.NullOr(Schema.String),
  rightsAttested: Schema.Boolean,
  voiceAssignment: Schema.Struct({ kind: VoiceKind }),
  voiceProfile: Schema.NullOr(VoiceProfile)
})
export type OwnVoice = typeof OwnVoice.Type

/** A voice that operators add to the catalog. */
export const NewVoice = Schema.Struct({
  name: Schema.String,
  gender: Gender,
  ageBand: AgeBand,
  accent: Accent,
  pace: Pace,
  timbre: Schema.Array(TimbreWord),
  personaBrief: Schema.String,
  sampleLine: Schema.String,
  sound: VoiceSound,
  reserved: Schema.Boolean,
  hasDeployedVoice: Schema.Boolean
})
export type NewVoice = typeof NewVoice.Type

/** Change of a voice; null returns a field to the engine. */
export const VoiceDecision = Schema.Struct({
  reserved: Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
  hasDeployedVoice: Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
  listed: Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
  personaBrief: Schema.optionalKey(Schema.NullOr(Schema.String)),
  sampleLine: Schema.optionalKey(Schema.NullOr(Schema.String))
})
export type VoiceDecision = typeof VoiceDecision.Type

/** A voice as operators see it: its state, and which settings they made. */
export class CatalogVoice extends Schema.Class<CatalogVoice>("CatalogVoice")({
  ...VoiceEntry.fields,
  listed: Schema.Boolean,
  /** True if operators added it, false if an engine did. */
  made: Schema.Boolean,
  sound: Schema.NullOr(VoiceSound),
  changes: VoiceChanges
}) {}
