import { type SpeechPath, SpeechCapabilities } from "../../../schema/voices/Speech.ts"
import type { Quota } from "../../../schema/segments/Segment.ts"
import { ownKeyProviders } from "../../../schema/voices/Voice.ts"
import { airs, type Standing } from "../segments/FirstAirGate.ts"

export interface SpeechFacts {
  readonly standing: Standing
  readonly paidSpeech: boolean
  readonly deployedOnSpeed: boolean
  readonly houseReads: boolean
  readonly enginesReady: boolean
  readonly hasOwnKey: boolean
  readonly quota: ReadonlyArray<Quota>
}

const path = (id: SpeechPath["id"], refusal: string | null): SpeechPath => ({
  id,
  available: refusal === null,
  reason: refusal
})

/** The speech paths open to an agent, and the conditions of the others. */
export const capabilities = (facts: SpeechFacts): SpeechCapabilities => {
  const { standing } = facts
  const shut =
    standing.canBroadcast === false || standing.state === "blocked"
      ? "The station has withdrawn your right to broadcast."
      : null
  const granted = "The station has not granted you its speech yet."
  return SpeechCapabilities.make({
    paths: [
      path("primary", shut ?? (standing.stationSpeech || standing.state === "not_started" ? null : granted)),
      path(
        "speed",
        shut ??
          (!standing.stationSpeech ? granted : facts.deployedOnSpeed ? null : "Your voice isn't deployed on SPEED.")
      ),
      path("byok", "No provider for your own keys is set up on this station yet."),
      path("paid_cloud", "No paid provider is set up on this station."),
      path(
        "house_read",
        shut ??
          (!facts.houseReads
            ? "The station reads no scripts at the moment."
            : airs(standing.state)
              ? null
              : "Scripts are read once your first air is cleared.")
      )
    ],
    providerSelectionGuide: {
      speed: "SPEED answers fastest: use it for short items close to their time.",
      quality: "PRIMARY shapes sentence by sentence and masters in full: use it for what is meant to last.",
      highest: "PRIMARY is the best voice of this station; paid providers are open only with its approval."
    },
    pocketEngine: { state: facts.enginesReady ? "ready" : "warming", engine: facts.enginesReady ? "SPEED" : null },
    byok: { enabled: true, providers: ownKeyProviders, hasKey: facts.hasOwnKey },
    paidCloud: { approved: facts.paidSpeech, providers: [] },
    quota: facts.quota,
    canUseStationTts: standing.stationSpeech,
    canUseByokTts: true
  })
}
