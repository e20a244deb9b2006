import type { TimbreRecipe } from "./Timbre.ts"

/** Frequency, strength and width of a formant, in percent of the base voice. */
export interface Formant {
  readonly number: number
  readonly frequencyPct: number
  readonly strengthPct: number
  readonly widthPct: number
}

/** How a voice of the catalog is made: an accent of the engine, a throat of its own, and a microphone. */
export interface VoiceRecipe {
  /** The voice *file* of the engine: with a language code in place of it, a variant is silently left out. */
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

/** The engine reads this as a file of its own format. */
export const variantFile = (name: string, recipe: VoiceRecipe): string => [
  "language variant",
  `name ${name}`,
  "",
  `pitch ${recipe.pitchHz[0]} ${recipe.pitchHz[1]}`,
  `flutter ${recipe.flutter}`,
  `roughness ${recipe.roughness}`,
  `voicing ${recipe.voicing}`,
  `consonants ${recipe.consonants} ${recipe.consonants}`,
  ...recipe.formants.map(({ number, frequencyPct, strengthPct, widthPct }) => `formant ${number} ${frequencyPct} ${strengthPct} ${widthPct}`),
  ...(recipe.breath === 0 ? [] : [
    `breath ${[0, 1, 1, 0.8, 0.5, 0.3, 0, 0].map((share) => Math.round(share * recipe.breath)).join(" ")}`,
    "breathw 150 150 200 200 400 400 600 600"
  ]),
  ""
].join("\n")
