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
  /** Quality of a cut after the word: 2 end of a paragraph, 1 end of a sentence, 0 neither, -1 inside a stage direction. */
  readonly rank: -1 | 0 | 1 | 2
}

const whitespace = /\s/u
const sentenceEnd = /[.!?…。！？]["'”’»)\]]{0,3}$/u

const directionCharsMax = 500

/** Whether a cut there would split a stage direction: the voice would read half of it aloud. */
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
    // A "word" longer than the cap can only be cut inside.
    for (let from = start; from < end; from += scriptCharsMax) {
      const to = Math.min(end, from + scriptCharsMax)
      words.push({ start: from, end: to, rank: to === end ? rank : 0 })
    }
  }
  return words
}

/** A script in stored form: NFC, without surrounding white space. */
export const tidyScript = (script: string): string => script.normalize("NFC").trim()

/** Words are runs between white space, in every limit of the station. */
export const wordCount = (text: string): number => text.split(/\s+/u).filter((word) => word !== "").length

export const charCount = (text: string): number => {
  let count = 0
  for (const _ of text) count++
  return count
}

/** Whether a script is within the limits of words and of code points. */
export const isWithinLimits = (text: string, longForm: boolean): boolean =>
  wordCount(text) <= (longForm ? longScriptWordsMax : scriptWordsMax) &&
  charCount(text) <= (longForm ? longScriptCharsMax : scriptCharsMax)

const previewChars = 80

/** The best end of a chunk that begins at `from`: end of a paragraph before end of a sentence, near the middle of the range. */
const cut = (words: ReadonlyArray<Word>, from: number): number => {
  const left = words.length - from
  const isWithinChars = (to: number) => words[to - 1]!.end - words[from]!.start <= scriptCharsMax
  if (left <= chunkWordsMax && isWithinChars(words.length)) return words.length
  const most = Math.min(chunkWordsMax, left)
  const lowest = Math.min(chunkWordsMin, most)
  // The rest must be long enough for a chunk too.
  const highest = left - most === 0 ? most : Math.max(lowest, Math.min(chunkWordsMax, left - chunkWordsMin))
  const middle = (chunkWordsMin + chunkWordsMax) / 2
  let best = -1
  let bestScore = -Infinity
  for (let count = lowest; count <= highest; count++) {
    if (!isWithinChars(from + count)) break
    const score = words[from + count - 1]!.rank * 1_000 - Math.abs(count - middle)
    if (score > bestScore) {
      best = from + count
      bestScore = score
    }
  }
  if (best !== -1) return best
  // Very long words: as many as the character cap allows, below the minimum of a chunk.
  let to = from + 1
  while (to < words.length && to - from < chunkWordsMax && isWithinChars(to + 1)) to++
  return to
}

/**
 * Splits a script into parts of 150–300 words that can be submitted separately: at ends of paragraphs, else of sentences, else between words. Joined,
 * the parts are the whole script.
 */
export const suggestSplit = (text: string): ReadonlyArray<SuggestedChunk> => {
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

/** The spoken and displayed text: the script without its stage directions in [brackets]. */
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

/** The same four words many times in a row: a stuck generator, not a refrain. */
const isStuck = (text: string): boolean => {
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
    "The script contains only stage directions in [brackets]. Add text to be spoken."
  ],
  [
    "THINKING_TAG",
    (script) => /<\/?(?:think|thinking|scratchpad|reasoning)\b/iu.test(script),
    "The script contains reasoning tags. Send only the text to be spoken."
  ],
  [
    "MARKUP",
    (script) => /<\/?[a-z][a-z0-9-]{0,20}(?:\s[^<>]{0,300})?\/?>/iu.test(script),
    "Markup would be read aloud. Send plain text; stage directions go in [brackets]."
  ],
  ["CODE_BLOCK", (script) => script.includes("```"), "A code block can't be read aloud. Describe it in words."],
  ["REPEATED_PHRASE", isStuck, "The same phrase occurs more than five times in a row."],
  ["UNREADABLE", (script) => !/[\p{L}\p{N}]/u.test(displayText(script)), "The script has no letter or number to speak."]
]

/** Faults that prevent a script from being spoken, one code per rule; empty if there are none. */
export const lint = (script: string): ReadonlyArray<Lint> =>
  lints.filter(([, applies]) => applies(script)).map(([code, , detail]) => ({ code, detail }))
