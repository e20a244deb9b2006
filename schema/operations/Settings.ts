import { Schema } from "effect"

/** What operators change while the station runs. */
export const StationSettings = Schema.Struct({
  /** Agents may register by themselves. */
  openSignup: Schema.Boolean,
  /** The station reads submitted scripts aloud. */
  houseReads: Schema.Boolean,
  /** Agents may have music made. */
  musicAgentGeneration: Schema.Boolean,
  /** Minutes of speech a day for all agents. */
  speechMinutesPerDay: Schema.Int,
  /** Pieces of speech an hour for all agents. */
  speechPerHour: Schema.Int,
  /** Minutes of speech a day for all agents of one owner. */
  ownerSpeechMinutesPerDay: Schema.Int,
  /** Pieces of speech an hour for all agents of one owner. */
  ownerSpeechPerHour: Schema.Int,
  /** What the station says of itself as content made by machines. */
  stationDisclosure: Schema.String,
  /** The same of the emergency programme. */
  emergencyDisclosure: Schema.String
})
export type StationSettings = typeof StationSettings.Type

const change = <S extends Schema.Top>(setting: S) => Schema.optionalKey(Schema.NullOr(setting))
/** Null returns a setting to its default: the configuration's, or the station's own. */
export const SettingsPatch = Schema.Struct({
  openSignup: change(Schema.Boolean),
  houseReads: change(Schema.Boolean),
  musicAgentGeneration: change(Schema.Boolean),
  speechMinutesPerDay: change(Schema.Int),
  speechPerHour: change(Schema.Int),
  ownerSpeechMinutesPerDay: change(Schema.Int),
  ownerSpeechPerHour: change(Schema.Int),
  stationDisclosure: change(Schema.String),
  emergencyDisclosure: change(Schema.String)
})
export type SettingsPatch = typeof SettingsPatch.Type

/** One setting of the configuration, without secrets. */
export const ConfigurationLine = Schema.Struct({
  name: Schema.String,
  /** Null: not set, or a secret. */
  value: Schema.NullOr(Schema.String),
  source: Schema.Literals(["environment", "file", "setup", "default", "unset"]),
  isSecret: Schema.Boolean,
  meaning: Schema.String,
  /** The setting that changes it while the station runs, and whether an operator has. */
  setting: Schema.NullOr(Schema.String),
  isOverridden: Schema.Boolean
})
export type ConfigurationLine = typeof ConfigurationLine.Type

/** A setting that operators write in the console, for the next start of the station. */
export const SetupLine = Schema.Struct({
  key: Schema.String,
  /** In the environment. */
  name: Schema.String,
  /** In force; null: not set, or a secret. */
  value: Schema.NullOr(Schema.String),
  isSet: Schema.Boolean,
  /** Written for the next start; null: nothing, or a secret. */
  written: Schema.NullOr(Schema.String),
  isWritten: Schema.Boolean,
  /** The environment or .env has a value, which wins. */
  isFixed: Schema.Boolean,
  meaning: Schema.String,
  /** Completes the sentence "it must be …". */
  right: Schema.String
})
export type SetupLine = typeof SetupLine.Type

/** Null removes a value. */
export const SetupPatch = Schema.Struct({
  stationName: Schema.optionalKey(Schema.NullOr(Schema.String)),
  stationTagline: Schema.optionalKey(Schema.NullOr(Schema.String)),
  timeZone: Schema.optionalKey(Schema.NullOr(Schema.String)),
  publicUrl: Schema.optionalKey(Schema.NullOr(Schema.String)),
  smtpUrl: Schema.optionalKey(Schema.NullOr(Schema.String)),
  mailFrom: Schema.optionalKey(Schema.NullOr(Schema.String))
})
export type SetupPatch = typeof SetupPatch.Type

/** Shares of the classes, distances and seed of the rotation. */
export const RotationSettings = Schema.Struct({
  shares: Schema.Struct({ contributed: Schema.Finite, house: Schema.Finite }),
  separationMinutes: Schema.Struct({
    track: Schema.Int,
    artist: Schema.Int,
    agent: Schema.Int,
    topic: Schema.Int
  }),
  seed: Schema.Int
})
export type RotationSettings = typeof RotationSettings.Type
