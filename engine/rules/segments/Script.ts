import type { SuggestedChunk } from "../../../schema/segments/Script.ts"
import {
  chunkWordsMax,
  chunkWordsMin,
  longScriptCharsMax,
  longScriptWordsMax,
  scriptCharsMax,
  scriptWordsMax
} from "./limits.ts"

/** A run of text between white space; offsets count code points. */
interface Word {
  readonly start: number
  readonly end: number
  /** How good a place to cut lies behind it: 2 a paragraph ends, 1 a sentence does, 0 neither, -1 within a stage direction. */
  readonly rank: -1 | 0 | 1 | 2
}

const whitespace = /\s/u
const sentenceEnd = /[.!?…。！？]["'”’»)\]]{0,3}$/u

const directionCharsMax = 500

/** Half a stage direction would be read aloud. */
const directions = (points: ReadonlyArray<string>): ((at: number) => boolean) => {
  const inside = new Uint8Array(points.length + 1)
  let open = -1
  for (const [at, point] of points.entries()) {
    if (point === "[") open = at
    else if (point === "]" && open >= 0) {
      if (at - open <= directionCharsMax + 1) inside.fill(1, open + 1, at + 1)
      open = -1
    }
  }
  return (at) => inside[at] === 1
}

const pieces = (points: ReadonlyArray<string>): ReadonlyArray<Word> => {
  const words: Array<Word> = []
  const isInside = directions(points)
  let at = 0
  while (at < points.length) {
    while (at < points.length && whitespace.test(points[at]!)) at++
    if (at === points.length) break
    const start = at
    while (at < points.length && !whitespace.test(points[at]!)) at++
    const end = at
    let breaks = 0
    for (let i = end; i < points.length && whitespace.test(points[i]!); i++) if (points[i] === "\n") breaks++
    const tail = points.slice(Math.max(start, end - 5), end).join("")
    const rank = isInside(end) ? -1 : breaks >= 2 ? 2 : sentenceEnd.test(tail) || breaks === 1 ? 1 : 0
    // A "word" that alone is over the cap can only be cut inside.
    for (let from = start; from < end; from += scriptCharsMax) {
      const to = Math.min(end, from + scriptCharsMax)
      words.push({ start: from, end: to, rank: to === end ? rank : 0 })
    }
  }
  return words
}

/** A script as it is read and kept: composed characters, no white space around it. */
export const tidied = (script: string): string => script.normalize("NFC").trim()

/** Words are runs between white space, in every limit of the station. */
export const wordCount = (text: string): number => text.split(/\s+/u).filter((word) => word !== "").length

export const charCount = (text: string): number => {
  let count = 0
  for (const _ of text) count++
  return count
}

/** Within what may be handed in: words and code points both count. */
export const fits = (text: string, longForm: boolean): boolean =>
  wordCount(text) <= (longForm ? longScriptWordsMax : scriptWordsMax) &&
  charCount(text) <= (longForm ? longScriptCharsMax : scriptCharsMax)

const previewChars = 80

/** The best end for a chunk that begins at `from`: a paragraph's end before a sentence's, near the middle of the range. */
const cut = (words: ReadonlyArray<Word>, from: number): number => {
  const left = words.length - from
  const fitsChars = (to: number) => words[to - 1]!.end - words[from]!.start <= scriptCharsMax
  if (left <= chunkWordsMax && fitsChars(words.length)) return words.length
  const most = Math.min(chunkWordsMax, left)
  const lowest = Math.min(chunkWordsMin, most)
  // What stays behind must itself be enough for a chunk.
  const highest = left - most === 0 ? most : Math.max(lowest, Math.min(chunkWordsMax, left - chunkWordsMin))
  const middle = (chunkWordsMin + chunkWordsMax) / 2
  let best = -1
  let bestScore = -Infinity
  for (let count = lowest; count <= highest; count++) {
    if (!fitsChars(from + count)) break
    const score = words[from + count - 1]!.rank * 1_000 - Math.abs(count - middle)
    if (score > bestScore) {
      best = from + count
      bestScore = score
    }
  }
  if (best !== -1) return best
  // Very long words: as many as the character cap takes, fewer than a chunk should have.
  let to = from + 1
  while (to < words.length && to - from < chunkWordsMax && fitsChars(to + 1)) to++
  return to
}

/**
 * Cuts a script into parts that can be handed in one by one: 150–300 words each, at paragraph ends, else at sentence
 * ends, else between words. Together they are the whole script, in order.
 */
export const suggestedSplit = (text: string): ReadonlyArray<SuggestedChunk> => {
  const points = Array.from(text)
  const words = pieces(points)
  const chunks: Array<SuggestedChunk> = []
  for (let from = 0; from < words.length;) {
    const to = cut(words, from)
    const startChar = words[from]!.start
    const endChar = words[to - 1]!.end
    chunks.push({
      index: chunks.length,
      wordCount: to - from,
      startChar,
      endChar,
      preview: points.slice(startChar, Math.min(endChar, startChar + previewChars)).join("")
    })
    from = to
  }
  return chunks
}

/** What is heard and shown: the script without its stage directions in [brackets]. */
export const displayText = (script: string): string =>
  script
    .replace(new RegExp(`\\[[^[\\]]{0,${directionCharsMax}}\\]`, "gu"), " ")
    .replace(/[^\S\n]+/gu, " ")
    .replace(/ ?\n ?/gu, "\n")
    .replace(/\n{3,}/gu, "\n\n")
    .trim()

export type LintCode = "EMPTY_SPEECH" | "THINKING_TAG" | "MARKUP" | "CODE_BLOCK" | "REPEATED_PHRASE" | "UNREADABLE"

export interface Lint {
  readonly code: LintCode
  readonly detail: string
}

const phraseWords = 4
const phraseRepeatsMax = 5

/** The same four words over and over in a row: a generator that got stuck, not a refrain. */
const stuck = (text: string): boolean => {
  const words = text
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== "")
  for (let period = 1; period <= phraseWords; period++) {
    let run = 0
    for (let i = period; i < words.length; i++) {
      run = words[i] === words[i - period] ? run + 1 : 0
      if (run >= period * phraseRepeatsMax) return true
    }
  }
  return false
}

const lints: ReadonlyArray<readonly [LintCode, (script: string) => boolean, string]> = [
  [
    "EMPTY_SPEECH",
    (script) => displayText(script) === "",
    "Nothing is left to be spoken once stage directions in [brackets] are taken out."
  ],
  [
    "THINKING_TAG",
    (script) => /<\/?(?:think|thinking|scratchpad|reasoning)\b/iu.test(script),
    "The script still holds its author's notes to itself. Send only what is to be spoken."
  ],
  [
    "MARKUP",
    (script) => /<\/?[a-z][a-z0-9-]{0,20}(?:\s[^<>]{0,300})?\/?>/iu.test(script),
    "Markup would be read aloud. Send plain text; stage directions go in [brackets]."
  ],
  ["CODE_BLOCK", (script) => script.includes("```"), "A code block can't be read aloud. Say it in words."],
  ["REPEATED_PHRASE", stuck, "The same phrase stands more than five times in a row."],
  ["UNREADABLE", (script) => !/[\p{L}\p{N}]/u.test(displayText(script)), "The script has no letter or number to speak."]
]

/** What keeps a script from being spoken as it stands; empty when nothing does. One code per rule. */
export const lint = (script: string): ReadonlyArray<Lint> =>
  lints.filter(([, applies]) => applies(script)).map(([code, , detail]) => ({ code, detail }))
