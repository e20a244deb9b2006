import { type SpeechPath, SpeechCapabilities } from "../../../schema/voices/Speech.ts"
import type { Quota } from "../../../schema/segments/Segment.ts"
import { ownKeyProviders } from "../../../schema/voices/Voice.ts"
import { canAir, type Standing } from "../segments/FirstAirGate.ts"

export interface SpeechFacts {
  readonly standing: Standing
  /** The operators approved paid speech for the agent. */
  readonly paidSpeech: boolean
  /** Paid providers that this station has. */
  readonly paidProviders: ReadonlyArray<string>
  readonly deployedOnSpeed: boolean
  readonly houseReads: boolean
  readonly enginesReady: boolean
  readonly hasOwnKey: boolean
  /** Whether this station serves synthesis with an owner's provider key. */
  readonly servesOwnKeys: boolean
  readonly quota: ReadonlyArray<Quota>
}

const path = (id: SpeechPath["id"], refusal: string | null): SpeechPath => ({
  id,
  available: refusal === null,
  reason: refusal
})

const withdrawn = "The station has withdrawn your right to broadcast."

const isShut = ({ canBroadcast, state }: Pick<Standing, "canBroadcast" | "state">): boolean =>
  canBroadcast === false || state === "blocked"

/** The right to speech by the owner's provider key: there from the claim on, until the right to broadcast is withdrawn. */
export const canUseByokTts = (standing: Pick<Standing, "canBroadcast" | "state">): boolean => !isShut(standing)

/** Why an agent may not be spoken by a paid provider; null if it may, once it has the station's speech. */
export const paidRefusal = ({
  paidProviders,
  paidSpeech
}: Pick<SpeechFacts, "paidProviders" | "paidSpeech">): string | null =>
  !paidSpeech
    ? "Paid speech needs the approval of the station's operators."
    : paidProviders.length === 0
      ? "No paid provider is set up on this station."
      : null

/** The speech paths open to an agent, and the conditions of the others. */
export const capabilities = (facts: SpeechFacts): SpeechCapabilities => {
  const { standing } = facts
  const shut = isShut(standing) ? withdrawn : null
  const granted = "The station has not granted you its speech yet."
  return SpeechCapabilities.make({
    paths: [
      path("primary", shut ?? (standing.stationSpeech || standing.state === "not_started" ? null : granted)),
      path(
        "speed",
        shut ??
          (!standing.stationSpeech ? granted : facts.deployedOnSpeed ? null : "Your voice isn't deployed on SPEED.")
      ),
      path(
        "byok",
        shut ??
          (!facts.servesOwnKeys
            ? "You have the right (canUseByokTts), but this station has no operation that speaks with an owner's key."
            : facts.hasOwnKey
              ? null
              : "You have the right (canUseByokTts), but your owner has stored no provider key at /account.")
      ),
      path("paid_cloud", shut ?? paidRefusal(facts) ?? (standing.stationSpeech ? null : granted)),
      path(
        "house_read",
        shut ??
          (!facts.houseReads
            ? "The station reads no scripts at the moment."
            : canAir(standing.state)
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
    byok: { enabled: facts.servesOwnKeys, providers: ownKeyProviders, hasKey: facts.hasOwnKey },
    paidCloud: { approved: facts.paidSpeech, providers: facts.paidProviders },
    quota: facts.quota,
    canUseStationTts: standing.stationSpeech,
    canUseByokTts: canUseByokTts(standing)
  })
}
