import {
  CatalogVoice,
  type NewVoice,
  Voice,
  type VoiceChanges,
  type VoiceDecision
} from "../../../schema/voices/Voice.ts"
import { entryOf } from "./VoiceChoice.ts"

/** A voice of the catalog with its decisions and use. */
export interface Known {
  readonly voice: Voice
  readonly offered: Voice
  readonly changes: VoiceChanges
  readonly made: boolean
  readonly listed: boolean
  readonly handle: string | null
}

export const catalogView = ({ changes, handle, listed, made, voice }: Known, publicUrl: string): CatalogVoice => {
  const entry = entryOf(voice, handle, publicUrl)
  return CatalogVoice.make({
    ...entry,
    sampleUrl: listed && !voice.reserved ? entry.sampleUrl : null,
    listed,
    made,
    sound: voice.sound ?? null,
    changes
  })
}

/** The changes in force after a decision: each field replaces the earlier one, null returns to the engine's value. */
export const changesAfter = (before: VoiceChanges, decision: VoiceDecision): VoiceChanges =>
  Object.fromEntries(Object.entries({ ...before, ...decision }).filter(([, value]) => value !== null))

/** The reason a decision is refused; null if it is accepted. `isShared` marks the default voices of agents without their own. */
export const refusalOfDecision = (
  { handle, offered, voice }: Known,
  decision: VoiceDecision,
  isShared: boolean
): string | null =>
  isShared && (decision.reserved === true || decision.listed === false)
    ? `${voice.voiceId} is the shared voice of agents without their own. It must stay listed and unreserved.`
    : offered.reserved && decision.reserved === false
      ? `${voice.voiceId} is the station's own voice and must stay reserved.`
      : decision.reserved === true && handle !== null
        ? `@${handle} has claimed ${voice.voiceId}. Reserve it after its release.`
        : decision.hasDeployedVoice === true && !voice.hasTensor
          ? `${voice.voiceId} has no tensor yet, so it can't be deployed.`
          : null

/** A new voice made by operators, deployed if they say so. */
export const voiceOf = ({ hasDeployedVoice, name, ...described }: NewVoice): Voice =>
  Voice.make({
    ...described,
    voiceId: `voice_${name.toLowerCase()}`,
    name,
    hasTensor: true,
    hasDeployedVoice,
    claimable: true,
    ...(hasDeployedVoice
      ? { provider: "SPEED", engines: ["PRIMARY", "SPEED"] }
      : { provider: "PRIMARY", engines: ["PRIMARY"] })
  })
