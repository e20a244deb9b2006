import { type AirEvent, AirItem } from "../../schema/air/Air.ts"
import type { WordTiming } from "../../schema/Sound.ts"
import { captionCharsMax, captionItemsMax, captionLingerMs, captionPauseMs } from "../../engine/rules/air/limits.ts"
import { sampleRateHz } from "../../schema/time/Samples.ts"
import { segmentSamples } from "../encode/PartPacker.ts"

const samplesPerMs = sampleRateHz / 1_000

/** Words read together, with their time in ms of the broadcast since its epoch. */
export interface Cue {
  readonly startMs: number
  readonly endMs: number
  readonly text: string
}

const endsSentence = /[.!?…]["'”’)]*$/

type Word = Pick<WordTiming, keyof WordTiming>

/** Spoken words in readable lines: broken at the end of a sentence, at a pause, and where a line is full. */
const linesOf = (words: ReadonlyArray<Word>): ReadonlyArray<ReadonlyArray<Word>> => {
  const lines: Array<Array<Word>> = []
  let chars = 0
  for (const word of words) {
    const line = lines.at(-1)
    const before = line?.at(-1)
    const isNew =
      before === undefined ||
      endsSentence.test(before.text) ||
      word.startMs - before.endMs > captionPauseMs ||
      chars + 1 + word.text.length > captionCharsMax
    if (isNew) lines.push([word])
    else line!.push(word)
    chars = isNew ? word.text.length : chars + 1 + word.text.length
  }
  return lines
}

/** End of a line: a little after its last word, unless the next line begins. */
const lineEndMs = (lines: ReadonlyArray<ReadonlyArray<Word>>, at: number): number =>
  Math.min(lines[at]!.at(-1)!.endMs + captionLingerMs, lines[at + 1]?.[0]!.startMs ?? Infinity)

/** Spoken lines, in ms of the broadcast. */
export const cuesOf = (words: ReadonlyArray<Word>, offsetMs: number): ReadonlyArray<Cue> => {
  const lines = linesOf(words)
  return lines.map((line, at) => ({
    startMs: Math.round(offsetMs + line[0]!.startMs),
    endMs: Math.round(offsetMs + lineEndMs(lines, at)),
    text: line.map(({ text }) => text).join(" ")
  }))
}

const clockOf = (ms: number): string => {
  const part = (of: number, per: number, digits: number) => String(Math.floor(of / per)).padStart(digits, "0")
  return `${part(ms, 3_600_000, 2)}:${part(ms % 3_600_000, 60_000, 2)}:${part(ms % 60_000, 1_000, 2)}.${part(ms % 1_000, 1, 3)}`
}

const escapeCue = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** A segment's own clock begins this much before it, so that earlier beginnings have no negative time. */
const leadMs = 60_000

/** A piece of the captions as WebVTT, on the sound's timeline. A cue across a border is on both sides of it. */
export const webVtt = (cues: ReadonlyArray<Cue>, fromSample: number, toSample: number): string => {
  const fromMs = fromSample / samplesPerMs
  const toMs = toSample / samplesPerMs
  const zeroMs = (Math.floor(fromSample / segmentSamples) * segmentSamples) / samplesPerMs - leadMs
  return [
    // Timestamps of MPEG-2 have 33 bits at 90 kHz: players unroll them.
    `WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:${(zeroMs * 90) % 2 ** 33}\n`,
    ...cues
      .filter(({ endMs, startMs }) => startMs < toMs && endMs > fromMs && startMs >= zeroMs)
      .map(
        ({ endMs, startMs, text }) =>
          `${clockOf(startMs - zeroMs)} --> ${clockOf(endMs - zeroMs)}\n${escapeCue(text)}\n`
      )
  ].join("\n")
}

/** A whole item as WebVTT from its beginning, with the time of each word. */
export const wordVtt = (words: ReadonlyArray<Word>): string => {
  const lines = linesOf(words)
  const markedOf = (line: ReadonlyArray<Word>): string =>
    line
      .map(({ startMs, text }, at) => {
        // A mark has to be after the previous one, and the first word has its line's.
        const isMarked = at > 0 && Math.round(startMs) > Math.round(line[at - 1]!.startMs)
        return `${isMarked ? `<${clockOf(Math.round(startMs))}>` : ""}${escapeCue(text)}`
      })
      .join(" ")
  return [
    "WEBVTT\n",
    ...lines.map(
      (line, at) =>
        `${clockOf(Math.round(line[0]!.startMs))} --> ${clockOf(Math.round(lineEndMs(lines, at)))}\n${markedOf(line)}\n`
    )
  ].join("\n")
}

interface Expected {
  readonly words: ReadonlyArray<WordTiming>
  readonly cueIn: number
  readonly cueOut: number
}

/**
 * The audible words, counted from the item's beginning. Cue points are inside the sound, so the silence at its borders is cut off as well.
 */
const audibleOf = ({ cueIn, cueOut, words }: Expected): ReadonlyArray<Word> => {
  const [fromMs, toMs] = [cueIn / samplesPerMs, cueOut / samplesPerMs]
  return words
    .filter(({ endMs, startMs }) => endMs > fromMs && startMs < toMs)
    .map(({ endMs, startMs, text }) => ({
      text,
      startMs: Math.max(startMs, fromMs) - fromMs,
      endMs: Math.min(endMs, toMs) - fromMs
    }))
}

interface HeardItem {
  readonly itemId: string
  readonly cues: ReadonlyArray<Cue>
  /** It stopped with a worker of the chain, and has not continued yet. */
  fell: boolean
  cutMs: number
}

/** Captions of the broadcast, from the words of planned items and the events of their beginnings. */
export class Captions {
  readonly #expected = new Map<string, Expected>()
  #heard: ReadonlyArray<HeardItem> = []

  /** Loads the words of items before they can begin. Answers the items without words, as the mixer takes them. */
  expect(items: ReadonlyArray<AirItem>): ReadonlyArray<AirItem> {
    const wordless = items.map(({ words, ...item }) => {
      this.#expected.delete(item.itemId)
      // Speech that came as sound has no words.
      if (words !== undefined && (words.length > 0 || item.speech))
        this.#expected.set(item.itemId, { words, cueIn: item.sound.cue.cueIn, cueOut: item.sound.cue.cueOut })
      return new AirItem(item)
    })
    for (const itemId of [...this.#expected.keys()].slice(0, -captionItemsMax)) this.#expected.delete(itemId)
    return wordless
  }

  hear(event: AirEvent): void {
    if (event._tag === "Started") {
      for (const item of this.#heard)
        if (item.fell && item.itemId !== event.itemId) item.cutMs = Math.min(item.cutMs, event.atSample / samplesPerMs)
      const goesOn = this.#heard.find(({ fell, itemId }) => fell && itemId === event.itemId)
      if (goesOn !== undefined) {
        goesOn.fell = false
        return
      }
      const expected = event.itemId === null ? undefined : this.#expected.get(event.itemId)
      if (event.itemId === null || expected === undefined) return
      const item = {
        itemId: event.itemId,
        cues: cuesOf(audibleOf(expected), event.atSample / samplesPerMs),
        fell: false,
        cutMs: Infinity
      }
      this.#heard = [...this.#heard.filter(({ itemId }) => itemId !== event.itemId), item].slice(-captionItemsMax)
    } else if (event._tag === "Resumed") {
      const item = this.#heard.find(({ itemId }) => itemId === event.itemId)
      if (item !== undefined) item.fell = false
    } else if (event._tag === "Spanned" && !event.span.complete) {
      const item = this.#heard.find(({ itemId }) => itemId === event.span.itemId)
      // A restarted chain continues the interrupted items, or reports that another has started.
      if (item !== undefined && event.goesOn === true) item.fell = true
      else if (item !== undefined) item.cutMs = Math.min(item.cutMs, (event.span.lastSample + 1) / samplesPerMs)
    }
  }

  /** WebVTT of a planned or recent item, word by word from its beginning; null without speech. */
  wordsOfItem(itemId: string): string | null {
    const expected = this.#expected.get(itemId)
    return expected === undefined ? null : wordVtt(audibleOf(expected))
  }

  /** WebVTT from one sample to (not including) another. */
  cuesBetween(fromSample: number, toSample: number): string {
    const cues = this.#heard.flatMap(({ cues, cutMs }) =>
      cues
        .filter(({ startMs }) => startMs < cutMs)
        .map((cue) => ({ ...cue, endMs: Math.min(cue.endMs, Math.round(cutMs)) }))
    )
    return webVtt(cues, fromSample, toSample)
  }
}
