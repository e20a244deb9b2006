import { pauseMaxMs, sentenceMaxChars } from "../../engine/rules/voices/limits.ts"

/** A word as written, and as spoken. `spoken` is empty if nothing is said. */
export interface SpokenWord {
  readonly text: string
  readonly spoken: string
}

export type SentenceMood = "statement" | "question" | "exclamation"

/** One breath for the engine, followed by `pauseMs` of silence. */
export interface Sentence {
  readonly words: ReadonlyArray<SpokenWord>
  readonly mood: SentenceMood
  readonly paragraphEnd: boolean
  readonly pauseMs: number
}

export const sentencePauseMs = 260
export const paragraphPauseMs = 620
export const ellipsisPauseMs = 480
export const cuePauseMs = 800

const abbreviations = new Set([
  "mr.",
  "mrs.",
  "ms.",
  "dr.",
  "prof.",
  "st.",
  "vs.",
  "e.g.",
  "i.e.",
  "no.",
  "jr.",
  "sr.",
  "a.m.",
  "p.m.",
  "u.s.",
  "u.k."
])

const closing = /["'”’)\]»]+$/

/** Text that the engine would take for SSML or phonemes is spoken in words or left out, never passed on. */
const toSpokenForm = (text: string): string =>
  text
    .normalize("NFC")
    .replace(/&/g, " and ")
    .replace(/</g, " less than ")
    .replace(/>/g, " greater than ")
    .replace(/[[\]{}|\\^~`*_#]/g, " ")
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}]/gu, "")
    // Positions come back in characters: outside the basic plane one would count as two.
    .replace(/[\u{10000}-\u{10ffff}]/gu, " ")
    .replace(/\s+/g, " ")
    .trim()

const sayable = /[\p{L}\p{N}%$€£+=]/u

const pauseCue = /^\[\s*pause(?:\s+(\d+(?:\.\d+)?)\s*(ms|s)?)?\s*\]$/i

type Piece =
  | { readonly kind: "word"; readonly text: string }
  | { readonly kind: "pause"; readonly ms: number }
  | { readonly kind: "paragraph" }

/** Removes markup and phonemes, then stage directions; leaves words, pauses and paragraph ends. */
const pieces = (script: string): ReadonlyArray<Piece> => {
  const clean = script.replace(/\[\[[^\]]*\]\]/g, " ").replace(/<\/?[A-Za-z!?][^<>]*>/g, " ")
  const found: Array<Piece> = []
  for (const match of clean.matchAll(/\[[^[\]\n]{0,200}\]|\n\s*\n|[^\s[]+|\[/g)) {
    const text = match[0]
    if (text.startsWith("\n")) found.push({ kind: "paragraph" })
    else if (text.length > 1 && text.startsWith("[")) {
      const cue = pauseCue.exec(text)
      if (cue === null) continue
      const amount = cue[1] === undefined ? cuePauseMs : Number(cue[1]) * (cue[2]?.toLowerCase() === "ms" ? 1 : 1000)
      found.push({ kind: "pause", ms: Math.min(pauseMaxMs, Math.round(amount)) })
    } else if (text !== "[") found.push({ kind: "word", text })
  }
  return found
}

const endingOf = (word: string): SentenceMood | "ellipsis" | null => {
  if (abbreviations.has(word.toLowerCase())) return null
  const bare = word.replace(closing, "")
  if (/(\.\.\.|…)$/.test(bare)) return "ellipsis"
  if (/\?[!?]*$/.test(bare)) return "question"
  if (/!+$/.test(bare)) return "exclamation"
  return /[.:;]$/.test(bare) && !/^\p{Lu}\.$/u.test(bare) ? "statement" : null
}

/**
 * Splits a script into sentences that engines can handle: none longer than `sentenceMaxChars`, cut at a comma if there is one. Words keep
 * their written form, so captions show it while plain text is spoken.
 */
export const sentencesOf = (script: string): ReadonlyArray<Sentence> => {
  const sentences: Array<Sentence> = []
  let words: Array<SpokenWord> = []
  let chars = 0
  const close = (mood: SentenceMood, pauseMs: number, paragraphEnd = false) => {
    if (words.some(({ spoken }) => sayable.test(spoken))) sentences.push({ words, mood, pauseMs, paragraphEnd })
    else if (words.length > 0 && sentences.length > 0) {
      const last = sentences[sentences.length - 1]!
      sentences[sentences.length - 1] = { ...last, words: [...last.words, ...words] }
    }
    words = []
    chars = 0
  }
  const lengthen = (pauseMs: number, paragraphEnd: boolean) => {
    const last = sentences[sentences.length - 1]
    if (last !== undefined) {
      const together = paragraphEnd ? Math.max(last.pauseMs, pauseMs) : last.pauseMs + pauseMs
      sentences[sentences.length - 1] = {
        ...last,
        pauseMs: Math.min(pauseMaxMs, together),
        paragraphEnd: last.paragraphEnd || paragraphEnd
      }
    }
  }
  for (const piece of pieces(script)) {
    if (piece.kind === "paragraph") {
      close("statement", 0)
      lengthen(paragraphPauseMs, true)
    } else if (piece.kind === "pause") {
      close("statement", 0)
      lengthen(piece.ms, false)
    } else {
      // One endless word would hang an engine like an endless sentence.
      const spoken = toSpokenForm(piece.text).slice(0, sentenceMaxChars)
      if (chars + spoken.length > sentenceMaxChars) close("statement", 0)
      words.push({ text: piece.text, spoken })
      chars += spoken.length + 1
      const end = endingOf(piece.text)
      if (end !== null)
        close(end === "ellipsis" ? "statement" : end, end === "ellipsis" ? ellipsisPauseMs : sentencePauseMs)
      else if (chars > sentenceMaxChars * 0.6 && piece.text.endsWith(",")) close("statement", 80)
    }
  }
  close("statement", sentencePauseMs)
  lengthen(0, true)
  return sentences
}

/** The text for the engine, and each word's position in it. */
export const lineOf = (
  words: ReadonlyArray<SpokenWord>
): { readonly text: string; readonly starts: ReadonlyArray<number> } => {
  let text = ""
  const starts: Array<number> = []
  for (const { spoken } of words) {
    if (text !== "" && spoken !== "") text += " "
    starts.push(text.length)
    text += spoken
  }
  return { text, starts }
}
