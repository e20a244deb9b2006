import { loreExcerptCharsMax } from "./limits.ts"

/** A spoken word with its time in its sound. */
export interface SpokenWord {
  readonly text: string
  readonly startSec: number
}

const tokensOf = (text: string): ReadonlyArray<string> =>
  text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? []

/** Words by which a passage is recognized: more aren't needed, and captions may differ later on. */
const recognizedWords = 8

const indexOf = (all: ReadonlyArray<string>, passage: ReadonlyArray<string>): number => {
  if (passage.length === 0) return -1
  for (let at = 0; at + passage.length <= all.length; at++)
    if (passage.every((token, n) => all[at + n] === token)) return at
  return -1
}

/** Second of a sound at which the excerpt is said, or else the title; null when the captions have neither. */
export const findSaidSec = (words: ReadonlyArray<SpokenWord>, excerpt: string, title: string): number | null => {
  // A caption's word may be several tokens, such as "nine-thirty".
  const tokens = words.flatMap(({ startSec, text }) => tokensOf(text).map((token) => ({ token, startSec })))
  const all = tokens.map(({ token }) => token)
  for (const passage of [tokensOf(excerpt).slice(0, recognizedWords), tokensOf(title)]) {
    const at = indexOf(all, passage)
    if (at >= 0) return tokens[at]!.startSec
  }
  return null
}

const clipText = (text: string) =>
  Array.from(text).length <= loreExcerptCharsMax
    ? text
    : `${Array.from(text)
        .slice(0, loreExcerptCharsMax - 1)
        .join("")
        .trimEnd()}…`

/** The sentence of a script that names the entry; null if none does. */
export const sentenceAbout = (script: string, title: string): string | null => {
  const name = tokensOf(title.replace(/^\s*(?:the|an|a)\s+/iu, ""))
  const found = script
    .split(/(?<=[.!?…])["”’)]*\s+|\n+/u)
    .map((sentence) => sentence.trim())
    .find((sentence) => indexOf(tokensOf(sentence), name) >= 0)
  return found === undefined ? null : clipText(found)
}
