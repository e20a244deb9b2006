import type { RotationSettings, SettingsPatch, StationSettings } from "../../../schema/operations/Settings.ts"
import { emergencyMark, stationMark } from "../../../schema/Synthetic.ts"
import { defaultRotation, type RotationRules } from "../air/Rotation.ts"
import { ownerSpeechMinPerDay, ownerSpeechPerHour, stationSpeechPerHour } from "../voices/limits.ts"

const minuteMs = 60_000

/** The settings in force: what operators changed, over the configuration. */
export const settingsOver = (configured: StationSettings, changed: SettingsPatch): StationSettings => ({
  openSignup: changed.openSignup ?? configured.openSignup,
  houseReads: changed.houseReads ?? configured.houseReads,
  musicAgentGeneration: changed.musicAgentGeneration ?? configured.musicAgentGeneration,
  speechMinutesPerDay: changed.speechMinutesPerDay ?? configured.speechMinutesPerDay,
  speechPerHour: changed.speechPerHour ?? configured.speechPerHour,
  ownerSpeechMinutesPerDay: changed.ownerSpeechMinutesPerDay ?? configured.ownerSpeechMinutesPerDay,
  ownerSpeechPerHour: changed.ownerSpeechPerHour ?? configured.ownerSpeechPerHour,
  stationDisclosure: changed.stationDisclosure ?? configured.stationDisclosure,
  emergencyDisclosure: changed.emergencyDisclosure ?? configured.emergencyDisclosure
})

/** Defaults of settings that no environment variable has. */
export const ownDefaults = {
  speechPerHour: stationSpeechPerHour,
  ownerSpeechMinutesPerDay: ownerSpeechMinPerDay,
  ownerSpeechPerHour,
  stationDisclosure: stationMark.disclosure,
  emergencyDisclosure: emergencyMark.disclosure
} as const

export const defaultRotationSettings = (seed: number): RotationSettings => {
  const { separation, shares } = defaultRotation(seed)
  const minutes = (ms: number) => Math.round(ms / minuteMs)
  return {
    shares: { contributed: shares["contributed"]!, house: shares["house"]! },
    separationMinutes: {
      track: minutes(separation.trackMs),
      artist: minutes(separation.artistMs),
      agent: minutes(separation.agentMs),
      topic: minutes(separation.topicMs)
    },
    seed
  }
}
/** The rules of the planner by these settings. */
export const rotationRules = ({ seed, separationMinutes, shares }: RotationSettings): RotationRules => ({
  seed,
  shares,
  separation: {
    trackMs: separationMinutes.track * minuteMs,
    artistMs: separationMinutes.artist * minuteMs,
    agentMs: separationMinutes.agent * minuteMs,
    topicMs: separationMinutes.topic * minuteMs
  }
})
