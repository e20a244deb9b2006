import type { Alignment } from "./WordAligner.ts"

/** A word that takes less in the reference is too easily taken for another, or swallowed by good speakers. */
const clearWordMs = 200
/** Sound of no word: less is breath. */
const strangeMaxMs = 400
/** Beyond it the sound is too unlike the reference to tell words apart; 95 of 100 pairs of the catalog's voices lie below 1.08. */
const distanceMax = 1.11
/** Tempos at which words can be told apart, and those at which anything is spoken at all. */
const [tempoMin, tempoMax] = [0.5, 2]
const [paceMin, paceMax] = [0.4, 2.8]

/** Texts of a sentence's words, when they begin in the reference, and the reference's end. */
export interface Spoken {
  readonly texts: ReadonlyArray<string>
  readonly startsMs: ReadonlyArray<number>
  readonly endMs: number
}

/** What a sentence lacks or has too much; null if nothing. */
export const faultOf = (
  { endMs, startsMs, texts }: Spoken,
  { distance, repeated, strangeMs, tempo, words }: Alignment
): string | null => {
  if (tempo < paceMin || tempo > paceMax)
    return `it takes ${tempo.toFixed(1)} times as long as its words: ${texts.join(" ").slice(0, 80)}`
  if (distance > distanceMax || tempo < tempoMin || tempo > tempoMax) return null
  const isClear = (k: number) => (startsMs[k + 1] ?? endMs) - startsMs[k]! >= clearWordMs
  const quoteWords = (indexes: ReadonlyArray<number>) => indexes.map((k) => JSON.stringify(texts[k]!)).join(", ")
  const missing = words.flatMap((word, k) => (word === null && isClear(k) ? [k] : []))
  if (missing.length > 0) return `it leaves out ${quoteWords(missing)}`
  const again = repeated.filter(isClear)
  if (again.length > 0) return `it says ${quoteWords(again)} twice`
  return strangeMs > strangeMaxMs ? `${Math.round(strangeMs)} ms of it belong to no word` : null
}
