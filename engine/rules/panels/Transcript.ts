import type { Chapter, Replay } from "../../../schema/panels/Replay.ts"
import type { WordTiming } from "../../../schema/Sound.ts"
import { chapterWordsMax, transcriptCueCharsMax } from "./limits.ts"
import { displayText } from "../segments/Script.ts"

/** One speaker's words in a recording and their time. */
export interface SpokenPart {
  readonly handle: string | null
  readonly displayName: string
  readonly text: string
  readonly startSec: number
  readonly endSec: number
}

export interface TimedWord {
  readonly text: string
  readonly startSec: number
  readonly endSec: number
}

/** One caption. */
export interface Cue {
  readonly startSec: number
  readonly endSec: number
  readonly speaker: string
  readonly text: string
}

const sentenceEnd = /[.!?…]["'”’»)]*$/u

const wordsIn = (text: string): ReadonlyArray<string> => text.split(/\s+/u).filter((word) => word !== "")

/** The turns of a panel with their speakers. */
export const partsOf = ({ participants, turns }: Replay): ReadonlyArray<SpokenPart> => {
  const names = new Map(participants.map(({ displayName, handle }) => [handle, displayName]))
  return turns.map(({ durationSec, handle, scriptText, startSec }) => ({
    handle,
    displayName: names.get(handle) ?? handle,
    text: displayText(scriptText),
    startSec,
    endSec: startSec + durationSec
  }))
}

/** Without word times, a part's words share its time in proportion to their length. */
const spread = ({ endSec, startSec, text }: SpokenPart): ReadonlyArray<TimedWord> => {
  const words = wordsIn(text)
  const whole = words.reduce((sum, word) => sum + word.length + 1, 0)
  let before = 0
  return words.map((word) => {
    const from = startSec + ((endSec - startSec) * before) / whole
    before += word.length + 1
    return { text: word, startSec: from, endSec: startSec + ((endSec - startSec) * before) / whole }
  })
}

/** Every word with its part; words outside all parts are the station's. */
export const timeWords = (
  parts: ReadonlyArray<SpokenPart>,
  timings: ReadonlyArray<WordTiming>
): ReadonlyArray<TimedWord & { readonly part: number | null }> => {
  if (timings.length === 0) return parts.flatMap((part, at) => spread(part).map((word) => ({ ...word, part: at })))
  let at = 0
  return timings.map(({ endMs, startMs, text }) => {
    const middleSec = (startMs + endMs) / 2_000
    while (at < parts.length && parts[at]!.endSec <= middleSec) at++
    return {
      text,
      startSec: startMs / 1_000,
      endSec: endMs / 1_000,
      part: at < parts.length && parts[at]!.startSec <= middleSec ? at : null
    }
  })
}

/** Captions: a sentence or a line at a time, never two speakers in one. */
export const cuesOf = (
  parts: ReadonlyArray<SpokenPart>,
  timings: ReadonlyArray<WordTiming>,
  stationName: string
): ReadonlyArray<Cue> => {
  const cues: Array<Cue> = []
  let open: { part: number | null; startSec: number; endSec: number; words: Array<string> } | null = null
  const close = () => {
    if (open !== null)
      cues.push({
        startSec: open.startSec,
        endSec: Math.max(open.endSec, open.startSec + 0.001),
        speaker: open.part === null ? stationName : parts[open.part]!.displayName,
        text: open.words.join(" ")
      })
    open = null
  }
  for (const word of timeWords(parts, timings)) {
    if (
      open !== null &&
      (open.part !== word.part || open.words.join(" ").length + word.text.length >= transcriptCueCharsMax)
    )
      close()
    open ??= { part: word.part, startSec: word.startSec, endSec: word.endSec, words: [] }
    open.words.push(word.text)
    open.endSec = word.endSec
    if (sentenceEnd.test(word.text)) close()
  }
  close()
  return cues
}

const clock = (sec: number): string => {
  const ms = Math.round(sec * 1_000)
  const padTwo = (n: number) => String(Math.floor(n)).padStart(2, "0")
  return `${padTwo(ms / 3_600_000)}:${padTwo((ms / 60_000) % 60)}:${padTwo((ms / 1_000) % 60)}.${String(ms % 1_000).padStart(3, "0")}`
}

/** Escapes text for WebVTT, and for the annotation of a voice tag. */
const plain = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll(/\s+/g, " ")

/** `disclosure` becomes a note before the first caption, which players don't show. */
export const webVtt = (cues: ReadonlyArray<Cue>, disclosure: string | null = null): string =>
  [
    "WEBVTT",
    "",
    ...(disclosure === null ? [] : [`NOTE ${plain(disclosure)}`, ""]),
    ...cues.flatMap(({ endSec, speaker, startSec, text }, at) => [
      String(at + 1),
      `${clock(startSec)} --> ${clock(endSec)}`,
      `<v ${plain(speaker)}>${plain(text)}</v>`,
      ""
    ])
  ].join("\n")

const headOf = (text: string): string => {
  const words = wordsIn(text)
  const sentence = words.findIndex((word) => sentenceEnd.test(word)) + 1
  const shown = words.slice(0, Math.min(chapterWordsMax, sentence === 0 ? words.length : sentence)).join(" ")
  return shown.length < words.join(" ").length && !sentenceEnd.test(shown) ? `${shown}…` : shown
}

/** One chapter per turn, named by its speaker and first words. Everything before the first turn is the introduction. */
export const chaptersOf = (replay: Replay): ReadonlyArray<Chapter> => {
  const parts = partsOf(replay)
  const starts = [
    ...((parts[0]?.startSec ?? replay.durationSec) > 0 ? [{ title: "Introduction", startSec: 0 }] : []),
    ...parts.map(({ displayName, startSec, text }) => ({ title: `${displayName}: ${headOf(text)}`, startSec }))
  ]
  return starts.map(({ startSec, title }, at) => ({
    title,
    startSec,
    durationSec: Math.round(((starts[at + 1]?.startSec ?? replay.durationSec) - startSec) * 1_000) / 1_000
  }))
}

/** Podcasting 2.0 chapters, JSON format version 1.2. */
export const podcastChapters = ({ title }: Replay, chapters: ReadonlyArray<Chapter>, showTitle: string) => ({
  version: "1.2.0" as const,
  title,
  podcastName: showTitle,
  chapters: chapters.map(({ durationSec, startSec, title: name }) => ({
    startTime: startSec,
    endTime: startSec + durationSec,
    title: name
  }))
})
