import type { SpeechRole } from "../../engine/ports/Speech.ts"
import type { Sentence } from "./SpokenText.ts"
import type { VoiceRecipe } from "./VoiceRecipe.ts"

/** Delivery of one sentence: rate in words per minute, pitch and range on the engine's scale of 0–99. */
export interface Reading {
  readonly wordsPerMin: number
  readonly pitch: number
  readonly range: number
}

const clampRounded = (low: number, value: number, high: number) => Math.round(Math.max(low, Math.min(high, value)))

/** The engine's middle: the recipe's own pitch. */
const evenPitch = 50

/**
 * SPEED reads every sentence alike. PRIMARY varies like a reader: a little slow into the first sentence, falling through a paragraph,
 * rising for a question, broad for an exclamation, slow and low at the end.
 */
export const readingsOf = (
  sentences: ReadonlyArray<Sentence>,
  recipe: VoiceRecipe,
  role: SpeechRole
): ReadonlyArray<Reading> => {
  const flat = { wordsPerMin: recipe.wordsPerMin, pitch: evenPitch, range: recipe.intonation }
  if (role === "SPEED") return sentences.map(() => flat)
  let inParagraph = 0
  return sentences.map((sentence, index) => {
    const rest = sentences.slice(index).findIndex(({ paragraphEnd }) => paragraphEnd)
    const after = rest < 0 ? sentences.length - 1 - index : rest
    const sunk = inParagraph + after === 0 ? 0.5 : inParagraph / (inParagraph + after)
    inParagraph = sentence.paragraphEnd ? 0 : inParagraph + 1
    const last = index === sentences.length - 1
    const rate =
      (index === 0 ? 0.97 : 1) *
      (last && sentences.length > 1 ? 0.94 : 1) *
      (sentence.words.length <= 4 ? 0.95 : sentence.words.length >= 22 ? 1.03 : 1) *
      (sentence.mood === "exclamation" ? 1.04 : 1)
    return {
      wordsPerMin: clampRounded(90, recipe.wordsPerMin * rate, 320),
      pitch: clampRounded(
        20,
        evenPitch +
          5 -
          10 * sunk +
          (sentence.mood === "question" ? 6 : sentence.mood === "exclamation" ? 4 : 0) -
          (last ? 3 : 0),
        85
      ),
      range: clampRounded(
        5,
        recipe.intonation + (sentence.mood === "question" ? 10 : sentence.mood === "exclamation" ? 14 : 0),
        99
      )
    }
  })
}
