import { Voice } from "../schema/Voice.ts"
import type { VoiceRecipe } from "./VoiceRecipe.ts"

export interface CatalogVoice {
  readonly voice: Voice
  readonly recipe: VoiceRecipe
}

export const houseVoiceId = "voice_marlow"

export const catalog: ReadonlyArray<CatalogVoice> = [{
  voice: new Voice({
    voiceId: houseVoiceId, name: "Marlow", provider: "SPEED", gender: "male", ageBand: "adult", accent: "British", pace: "measured", timbre: ["warm"],
    personaBrief: "The station's own voice.", sampleLine: "This is Longwave.", hasTensor: true, hasDeployedVoice: true, claimable: false, reserved: true,
    engines: ["PRIMARY", "SPEED"]
  }),
  recipe: { accentFile: "gmw/en", pitchHz: [85, 125], formants: [], flutter: 2, roughness: 0, breath: 0, voicing: 100, consonants: 100, intonation: 55, wordsPerMin: 160, timbre: { eq: [], room: 0.05 } }
}]
