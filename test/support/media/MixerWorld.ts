import { createHash } from "node:crypto"
import { AirItem, type AirEvent, AirPlan, type AirSpan, ItemLabel, StagedSound } from "../../../schema/air/Air.ts"
import { CuePoints } from "../../../schema/Sound.ts"
import { Mixer } from "../../../media/mixer/Mixer.ts"
import type { SoundReader } from "../../../media/mixer/StagedReader.ts"

export const rate = 48_000
/** On a cell border, far from both ends. */
export const start = rate * 1_000

export const ulid = (n: number) => n.toString().padStart(26, "0")
export const idOf = (n: number) => `itm_${ulid(n)}`

export interface SoundOptions {
  readonly amplitude?: number
  readonly hz?: number
  readonly segueSec?: number
  readonly gainDb?: number
  readonly speech?: boolean
  /** Times at which the voice speaks; without it, always. */
  readonly voiced?: (sec: number) => boolean
  /** Share of the file that exists. */
  readonly fileSec?: number
  /** Noise instead of a tone, different for each number, so that it can be told from all others. */
  readonly noise?: boolean
}

const noiseOf = (n: number): (() => number) => {
  let state = (n * 2_654_435_761 + 1) >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 31 - 1
  }
}

/** Sounds in memory: a tone each. Frequency 0 gives a constant, in which every jump of gain is a jump of the waveform. */
export const makeSounds = () => {
  const files = new Map<string, Int16Array>()
  const sound = (n: number, sec: number, options: SoundOptions = {}): StagedSound => {
    const {
      amplitude = 0.25,
      fileSec = sec,
      gainDb = 0,
      hz = 200 + 37 * n,
      noise = false,
      segueSec = sec,
      speech = false,
      voiced = () => true
    } = options
    const length = Math.round(sec * rate)
    const path = `/sound/${n}/${sec}/${amplitude}/${noise ? "noise" : hz}/${fileSec}`
    if (!files.has(path) && fileSec > 0) {
      const random = noiseOf(n)
      const value = (at: number) =>
        noise ? amplitude * random() : hz === 0 ? amplitude : amplitude * Math.sin((2 * Math.PI * hz * at) / rate)
      const frames = Int16Array.from({ length: Math.round(fileSec * rate) * 2 }, (_, at) =>
        at % 2 === 0 ? Math.round(32_767 * value(at >> 1)) : 0
      )
      for (let at = 1; at < frames.length; at += 2) frames[at] = frames[at - 1]!
      files.set(path, frames)
    }
    return new StagedSound({
      assetId: `mas_${ulid(n)}`,
      path,
      lengthSamples: length,
      pcmSha256: "",
      gainDb,
      cue: new CuePoints({ cueIn: 0, introEnd: 0, segue: Math.round(segueSec * rate), cueOut: length }),
      envelope: Uint8Array.from({ length: Math.ceil(sec * 100) }, (_, step) => (speech && voiced(step / 100) ? 128 : 0))
    })
  }
  const read: SoundReader = {
    read: (of, from, count) => {
      const frames = files.get(of.path)
      return frames === undefined || (from + count) * 2 > frames.length
        ? null
        : frames.subarray(from * 2, (from + count) * 2)
    },
    expect: () => undefined,
    hold: () => undefined
  }
  return { files, read, sound }
}

export const item = (
  n: number,
  startSample: number,
  of: StagedSound,
  options: { readonly speech?: boolean; readonly bed?: StagedSound } = {}
): AirItem =>
  new AirItem({
    itemId: idOf(n),
    label: new ItemLabel({ title: `Item ${n}`, artist: null, kind: "music" }),
    sound: of,
    startSample,
    speech: options.speech ?? false,
    bed: options.bed ?? null,
    trace: ["test"]
  })

export const plan = (revision: number, items: ReadonlyArray<AirItem>, entry: "boundary" | "now" = "boundary") =>
  new AirPlan({ fence: 1, revision, entry, items })

export const mixerOf = (read: SoundReader, ...items: ReadonlyArray<AirItem>) => {
  const mixer = new Mixer({ startSample: start, read, stationName: "Longwave" })
  mixer.plan(plan(1, items))
  return mixer
}

export const play = (mixer: Mixer, sec: number, block = 4_800) => {
  const frames = Math.round(sec * rate)
  const pcm = new Float32Array(frames * 2)
  const events: Array<AirEvent> = []
  for (let at = 0; at < frames; at += block) {
    const take = Math.min(block, frames - at)
    events.push(...mixer.render(pcm.subarray(at * 2, (at + take) * 2), take))
  }
  return { pcm, events }
}

export const bytesOf = (pcm: Float32Array) => new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength)
export const hash = (pcm: Float32Array) => createHash("sha256").update(bytesOf(pcm)).digest("hex")

export const joinParts = (parts: ReadonlyArray<Float32Array>): Float32Array => {
  const all = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

export const level = (pcm: Float32Array, fromSec: number, toSec: number) => {
  let sum = 0
  const from = Math.round(fromSec * rate)
  const to = Math.round(toSec * rate)
  for (let at = from * 2; at < to * 2; at++) sum += pcm[at]! ** 2
  return Math.sqrt(sum / ((to - from) * 2))
}

/** The largest step from one sample to the next, and its position. */
export const findSteepest = (pcm: Float32Array): { readonly step: number; readonly atSec: number } => {
  let step = 0
  let at = 0
  for (let frame = 1; frame * 2 < pcm.length; frame++) {
    const here = Math.abs(pcm[frame * 2]! - pcm[frame * 2 - 2]!)
    if (here <= step) continue
    step = here
    at = frame
  }
  return { step, atSec: at / rate }
}

/** The longest silence, and its start. */
export const findLongestSilence = (
  pcm: Float32Array,
  below = 0.002
): { readonly sec: number; readonly atSec: number } => {
  let longest = 0
  let longestAt = 0
  let begin = 0
  for (let frame = 0; frame * 2 <= pcm.length; frame++) {
    if (frame * 2 < pcm.length && Math.abs(pcm[frame * 2]!) < below) continue
    if (frame - begin > longest) {
      longest = frame - begin
      longestAt = begin
    }
    begin = frame + 1
  }
  return { sec: longest / rate, atSec: longestAt / rate }
}

export const spans = (events: ReadonlyArray<AirEvent>): ReadonlyArray<AirSpan> =>
  events.flatMap((event) => (event._tag === "Spanned" ? [event.span] : []))
export const startsOf = (events: ReadonlyArray<AirEvent>) =>
  events.flatMap((event) => (event._tag === "Started" ? [event] : []))
export const skipsOf = (events: ReadonlyArray<AirEvent>) =>
  events.flatMap((event) => (event._tag === "Skipped" ? [event] : []))
