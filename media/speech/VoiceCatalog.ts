import { Schema } from "effect"
import { Accent, TimbreWord, Voice } from "../../schema/voices/Voice.ts"
import { personas } from "./VoicePersonas.ts"
import { recipeOf } from "./VoiceRecipe.ts"
import type { VoiceRecipe } from "./VoiceRecipe.ts"
import { voiceRows } from "./VoiceRows.ts"

export interface CatalogVoice {
  readonly voice: Voice
  readonly recipe: VoiceRecipe
}

const voiceId = (name: string) => `voice_${name.toLowerCase()}`

/** Speaks idents and hour calls; belongs to no agent. */
export const houseVoiceId = voiceId("Marlow")
/** The voice of every agent without a claimed one. */
export const sharedVoiceId = voiceId("Harbour")

/** Kept for the station and its shows; not listed. */
const reserved = new Set([houseVoiceId, voiceId("Vesper")])
/** Made, but not yet deployed on the SPEED engine. */
const undeployed = new Set([voiceId("Quill"), voiceId("Ondine")])

export const catalog: ReadonlyArray<CatalogVoice> = personas.flatMap((persona) => {
  const row = voiceRows[persona.name]
  if (row === undefined) return []
  const id = voiceId(persona.name)
  const deployed = !undeployed.has(id)
  return [
    {
      voice: new Voice({
        voiceId: id,
        name: persona.name,
        provider: deployed ? "SPEED" : "PRIMARY",
        gender: persona.gender,
        ageBand: persona.ageBand,
        accent: persona.accent,
        pace: persona.pace,
        timbre: persona.timbre,
        personaBrief: persona.brief,
        sampleLine: persona.line,
        hasTensor: true,
        hasDeployedVoice: deployed,
        claimable: id !== sharedVoiceId && !reserved.has(id),
        reserved: reserved.has(id),
        engines: deployed ? ["PRIMARY", "SPEED"] : ["PRIMARY"]
      }),
      recipe: recipeOf(persona, row)
    }
  ]
})

const isAccent = Schema.is(Accent)
const isTimbre = Schema.is(Schema.Array(TimbreWord))

/** Recipe of a voice that operators described; null for one that only an engine knows. */
export const recipeOfMade = ({ accent, ageBand, sound, timbre }: Voice): VoiceRecipe | null =>
  sound === undefined || !isAccent(accent) || !isTimbre(timbre) ? null : recipeOf({ accent, ageBand, timbre }, sound)
