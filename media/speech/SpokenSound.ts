import type { RawSound } from "../../engine/ports/Speech.ts"
import { WordTiming } from "../../schema/Sound.ts"
import type { SpokenLine, SpokenPassage } from "./SpeechEngine.ts"
import { lineOf } from "./SpokenText.ts"
import type { Sentence } from "./SpokenText.ts"

/** Engines pad their sentences; softer edges than this are padding. */
const edge = 0.002

const findSounding = (pcm: Float32Array): readonly [start: number, end: number] => {
  let start = 0
  let end = pcm.length
  while (start < end && Math.abs(pcm[start]!) < edge) start++
  while (end > start && Math.abs(pcm[end - 1]!) < edge) end--
  return [start, end]
}

/**
 * Beginning of each word, in ms of its line. A word without a mark is interpolated between its neighbours by length; without any marks the
 * whole line is.
 */
const startsOf = (sentence: Sentence, line: SpokenLine, fromMs: number, toMs: number): ReadonlyArray<number> => {
  const { starts } = lineOf(sentence.words)
  const weights = sentence.words.map(({ spoken }) => (spoken === "" ? 0 : spoken.length + 1))
  const known = sentence.words.map(
    ({ spoken }, index) =>
      line.marks.find(({ atChar }) => atChar >= starts[index]! && atChar < starts[index]! + Math.max(1, spoken.length))
        ?.startMs ?? null
  )
  if (known.length > 0) known[0] = Math.max(fromMs, known[0] ?? fromMs)
  const times: Array<number> = []
  for (let i = 0; i < known.length;) {
    let next = i + 1
    while (next < known.length && known[next] === null) next++
    const from = Math.max(known[i] ?? fromMs, times[i - 1] ?? fromMs)
    const to = Math.max(from, next < known.length ? known[next]! : toMs)
    const weight = weights.slice(i, next).reduce((sum, one) => sum + one, 0) || 1
    let before = 0
    for (let j = i; j < next; j++) {
      times.push(Math.min(toMs, from + ((to - from) * before) / weight))
      before += weights[j]!
    }
    i = next
  }
  return times
}

/** Joins the lines of a script with their pauses, and counts the words from the first sample. */
export const joinLines = (passages: ReadonlyArray<SpokenPassage>): RawSound => {
  const sentences = passages.map(({ sentence }) => sentence)
  const lines = passages.map(({ line }) => line)
  const sampleRateHz = lines[0]?.sampleRateHz ?? 22_050
  const ms = 1000 / sampleRateHz
  const parts = lines.map((line) => findSounding(line.pcm))
  const pauses = sentences.map(({ pauseMs }, index) => (index === sentences.length - 1 ? 0 : Math.round(pauseMs / ms)))
  const length = parts.reduce((sum, [start, end], index) => sum + end - start + pauses[index]!, 0)
  const pcm = new Float32Array(length)
  const words: Array<WordTiming> = []
  let at = 0
  for (const [index, line] of lines.entries()) {
    const [start, end] = parts[index]!
    const sentence = sentences[index]!
    pcm.set(line.pcm.subarray(start, end), at)
    const offsetMs = (at - start) * ms
    const times = startsOf(sentence, line, start * ms, end * ms).map((time) => Math.round(time + offsetMs))
    const endMs = Math.floor((at + end - start) * ms)
    for (const [i, { spoken, text }] of sentence.words.entries()) {
      // An emoji is written, but nobody hears it: the words of a sound are those that are in it.
      if (spoken === "") continue
      const startMs = Math.min(endMs, Math.max(times[i]!, words.at(-1)?.endMs ?? 0))
      words.push(new WordTiming({ text, startMs, endMs: Math.max(startMs, Math.min(endMs, times[i + 1] ?? endMs)) }))
    }
    at += end - start + pauses[index]!
  }
  return { sampleRateHz, channels: [pcm], words }
}
