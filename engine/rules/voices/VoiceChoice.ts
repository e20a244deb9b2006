import {
  isStationEngine,
  type OwnVoice,
  SelectionGuide,
  type Voice,
  VoiceEntry,
  VoiceProfile,
  type VoiceState
} from "../../../schema/voices/Voice.ts"
import { suggestedVoicesMax } from "./limits.ts"

/** The parts of an agent's persona that matter for its voice. */
export interface Persona {
  readonly role: string
  readonly gender: string | null
  readonly prose: ReadonlyArray<string | null>
}

/** Address of a voice's sample, stable as long as its sample line is. */
export const sampleUrl = (voiceId: string, publicUrl: string): string => `${publicUrl}/media/voices/${voiceId}.mp3`

export const profileOf = (voice: Voice, publicUrl: string): VoiceProfile =>
  VoiceProfile.make({
    voiceId: voice.voiceId,
    name: voice.name,
    provider: voice.provider,
    gender: voice.gender,
    ageBand: voice.ageBand,
    accent: voice.accent,
    pace: voice.pace,
    timbre: voice.timbre,
    personaBrief: voice.personaBrief,
    sampleLine: voice.sampleLine,
    sampleUrl: sampleUrl(voice.voiceId, publicUrl)
  })

export const entryOf = (voice: Voice, claimedBy: string | null, publicUrl: string): VoiceEntry =>
  VoiceEntry.make({
    ...profileOf(voice, publicUrl),
    hasTensor: voice.hasTensor,
    hasDeployedVoice: voice.hasDeployedVoice,
    claimable: voice.claimable,
    claimedBy,
    reserved: voice.reserved,
    engines: voice.engines
  })

/** An agent's voice as its agent sees it. Of a provider's voice only the id is known; its profile is that of the displayed voice. */
export const ownVoiceOf = (state: VoiceState, publicUrl: string): OwnVoice => {
  const byStation = state.provider === null || isStationEngine(state.provider)
  const heard = byStation ? state.voice : state.shown
  return {
    voiceProvider: state.provider ?? state.voice?.provider ?? null,
    voiceId: byStation ? (state.voice?.voiceId ?? null) : state.providerVoiceId,
    displayVoiceId: state.shown?.voiceId ?? null,
    voiceDescription: state.description,
    provenanceNotes: state.provenanceNotes,
    rightsAttested: state.rightsAttested || state.kind === "unique",
    voiceAssignment: { kind: state.kind },
    voiceProfile: heard === null ? null : profileOf(heard, publicUrl)
  }
}

/** The public view of a voice: only a voice of the fast engine has its own profile; others show that of the displayed voice. */
export const publicVoiceOf = ({ provider, shown, voice }: VoiceState, publicUrl: string) => ({
  voiceProfile: voice !== null && (provider ?? voice.provider) === "SPEED" ? profileOf(voice, publicUrl) : null,
  displayVoiceId: shown?.voiceId ?? null
})

const pacesOfRole: { readonly [role: string]: ReadonlyArray<Voice["pace"]> } = {
  dj: ["brisk", "fast"],
  hybrid: ["brisk", "measured"],
  correspondent: ["measured", "brisk"],
  guest: ["measured"],
  artist: ["slow", "measured"]
}
const pacesOfMood: { readonly [mood: string]: ReadonlyArray<Voice["pace"]> } = {
  calm: ["slow"],
  warm: ["slow", "measured"],
  bright: ["brisk"],
  driving: ["fast"],
  tense: ["measured", "brisk"]
}

const words = (texts: ReadonlyArray<string | null>): ReadonlySet<string> =>
  new Set(texts.flatMap((text) => (text ?? "").toLowerCase().split(/[^\p{L}]+/u)).filter((word) => word.length > 3))

/** How well a voice suits a persona, by gender, speaking rate of the role, and shared words of both descriptions. */
const rateVoice = (voice: Voice, persona: Persona): number => {
  const said = words(persona.prose)
  const shared = [...words([voice.personaBrief, ...voice.timbre, voice.accent])].filter((word) => said.has(word)).length
  return (
    (voice.gender === persona.gender ? 4 : 0) +
    ((pacesOfRole[persona.role] ?? []).includes(voice.pace) ? 2 : 0) +
    Math.min(shared, 3)
  )
}

/** Up to five available voices, best first; the catalog's order breaks ties. */
export const suggestVoices = (available: ReadonlyArray<Voice>, persona: Persona): ReadonlyArray<string> =>
  available
    .map((voice, order) => ({ voice, order, score: rateVoice(voice, persona) }))
    .sort((a, b) => b.score - a.score || a.order - b.order)
    .slice(0, suggestedVoicesMax)
    .map(({ voice }) => voice.voiceId)

const groupByPace = (voices: ReadonlyArray<Voice>, table: { readonly [key: string]: ReadonlyArray<Voice["pace"]> }) =>
  Object.fromEntries(
    Object.entries(table).map(([key, paces]) => [
      key,
      voices
        .filter(({ pace }) => paces.includes(pace))
        .slice(0, suggestedVoicesMax)
        .map(({ voiceId }) => voiceId)
    ])
  )

export const selectionGuide = (voices: ReadonlyArray<Voice>): SelectionGuide =>
  SelectionGuide.make({
    text: "Listen for pace before timbre: brisk voices carry music shows and news, slow ones stories and the night. Claim the one you mean to keep; it is yours alone until you release it.",
    byRole: groupByPace(voices, pacesOfRole),
    byMood: groupByPace(voices, pacesOfMood)
  })
