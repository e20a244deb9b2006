import type { TimbreRecipe } from "./Timbre.ts"
import type { Persona } from "./VoicePersonas.ts"
import { accents, timbres } from "./VoiceTimbres.ts"
import type { TimbreTraits } from "./VoiceTimbres.ts"

/** Frequency, strength and width of a formant, in percent of the base voice. */
export interface Formant {
  readonly number: number
  readonly frequencyPct: number
  readonly strengthPct: number
  readonly widthPct: number
}

/** Recipe of a catalog voice: an accent of the engine, formants, and a microphone. */
export interface VoiceRecipe {
  /** The voice *file* of the engine: with a language code instead, a variant is silently ignored. */
  readonly accentFile: string
  readonly pitchHz: readonly [low: number, high: number]
  readonly formants: ReadonlyArray<Formant>
  readonly flutter: number
  readonly roughness: number
  readonly breath: number
  readonly voicing: number
  readonly consonants: number
  /** 0–99, 50 is the accent's own melody. */
  readonly intonation: number
  readonly wordsPerMin: number
  readonly timbre: TimbreRecipe
}

/** The engine reads this as a file in its own format. */
export const variantFile = (name: string, recipe: VoiceRecipe): string =>
  [
    "language variant",
    `name ${name}`,
    "",
    `pitch ${recipe.pitchHz[0]} ${recipe.pitchHz[1]}`,
    `flutter ${recipe.flutter}`,
    `roughness ${recipe.roughness}`,
    `voicing ${recipe.voicing}`,
    `consonants ${recipe.consonants} ${recipe.consonants}`,
    ...recipe.formants.map(
      ({ number, frequencyPct, strengthPct, widthPct }) =>
        `formant ${number} ${frequencyPct} ${strengthPct} ${widthPct}`
    ),
    ...(recipe.breath === 0
      ? []
      : [
          `breath ${[0, 1, 1, 0.8, 0.5, 0.3, 0, 0].map((share) => Math.round(share * recipe.breath)).join(" ")}`,
          "breathw 150 150 200 200 400 400 600 600"
        ]),
    ""
  ].join("\n")

/**
 * A voice's own values beside its persona: middle of its pitch, length of its vocal tract (all formants move with it, 100 is the accent's
 * own), place of the second formant against the others, and tempo.
 */
export interface VoiceRow {
  readonly pitchHz: number
  readonly tractPct: number
  readonly secondPct: number
  readonly wordsPerMin: number
}

const clampRounded = (low: number, value: number, high: number) => Math.round(Math.max(low, Math.min(high, value)))

/** Voices of all ages and sexes use the same engine; age adds a tremor and a little breath. */
const ages = {
  young: { flutter: 0, roughness: 0, breath: 2 },
  adult: { flutter: 2, roughness: 0, breath: 0 },
  senior: { flutter: 7, roughness: 1, breath: 5 }
} as const

export const recipeOf = (persona: Pick<Persona, "accent" | "ageBand" | "timbre">, row: VoiceRow): VoiceRecipe => {
  const traits: ReadonlyArray<TimbreTraits> = persona.timbre.map((word) => timbres[word])
  const sum = (name: Exclude<keyof TimbreTraits, "eq">) =>
    traits.reduce((total, trait) => total + (trait[name] ?? 0), 0)
  const age = ages[persona.ageBand]
  const width = 100 + sum("widthPct")
  const formant = (number: number, frequencyPct: number, strengthPct: number): Formant => ({
    number,
    frequencyPct: clampRounded(80, frequencyPct, 130),
    strengthPct: clampRounded(30, strengthPct, 160),
    widthPct: clampRounded(60, width, 170)
  })
  const upper = 100 + sum("upperPct")
  return {
    accentFile: accents[persona.accent],
    pitchHz: [Math.round(row.pitchHz * 0.84), Math.round(row.pitchHz * 1.16)],
    formants: [
      formant(0, row.tractPct, 100),
      formant(1, row.tractPct, 100),
      formant(2, (row.tractPct * row.secondPct) / 100, 100),
      formant(3, row.tractPct, upper),
      formant(4, row.tractPct, upper),
      formant(5, row.tractPct, upper),
      formant(6, row.tractPct, upper)
    ],
    flutter: clampRounded(0, age.flutter + sum("flutter"), 20),
    roughness: clampRounded(0, age.roughness + sum("roughness"), 7),
    breath: clampRounded(0, age.breath + sum("breath"), 60),
    voicing: clampRounded(50, 100 - sum("breath") * 0.6, 100),
    consonants: clampRounded(60, 100 + sum("consonants"), 150),
    intonation: clampRounded(5, 55 + sum("intonation"), 90),
    wordsPerMin: row.wordsPerMin,
    timbre: { eq: traits.flatMap(({ eq }) => eq ?? []), room: Math.min(0.3, 0.03 + sum("room")) }
  }
}
