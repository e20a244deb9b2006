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
  speechMinutesPerDay: Schema.Int
})
export type StationSettings = typeof StationSettings.Type

/** Null returns a setting to the configuration. */
export const SettingsPatch = Schema.Struct({
  openSignup: Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
  houseReads: Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
  musicAgentGeneration: Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
  speechMinutesPerDay: Schema.optionalKey(Schema.NullOr(Schema.Int))
})
export type SettingsPatch = typeof SettingsPatch.Type

/** One setting of the configuration, without secrets. */
export const ConfigurationLine = Schema.Struct({
  name: Schema.String,
  /** Null: not set, or a secret. */
  value: Schema.NullOr(Schema.String),
  source: Schema.Literals(["environment", "file", "default", "unset"]),
  isSecret: Schema.Boolean,
  meaning: Schema.String,
  /** The setting that changes it while the station runs, and whether an operator has. */
  setting: Schema.NullOr(Schema.String),
  isOverridden: Schema.Boolean
})
export type ConfigurationLine = typeof ConfigurationLine.Type

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
