import { Effect } from "effect"
import { readFile } from "node:fs/promises"
import { fingerprintLengthShare, fingerprintShiftSec } from "../../engine/rules/segments/limits.ts"
import { disk } from "../storage/MediaStore.ts"
import { Spectra, spectrumSamples } from "./Spectra.ts"

/**
 * Acoustic fingerprint: a word of 32 bits for every 64 ms, after Haitsma and Kalker, "A Highly Robust Audio Fingerprinting System" (2002):
 * for each two of 33 neighbouring bands it keeps whether their difference grows. Coding, level and equalising change few bits; other
 * sounds change half of them. Our own code, because not every ffmpeg has a fingerprinter (the bundled build doesn't), and the ones on npm
 * are unmaintained and made for songs, not voices.
 */
export const printRateHz = 5_500
const hopSamples = 352
/**
 * A cut recording begins between the words of the original: a candidate is compared from several beginnings, the kept one from its first.
 */
const phasesCount = 2
const stepSamples = hopSamples / phasesCount

const bandsCount = 33
const [lowestHz, highestHz] = [300, 2_000]
const edges = Array.from({ length: bandsCount + 1 }, (_, band) =>
  Math.round((lowestHz * (highestHz / lowestHz) ** (band / bandsCount) * spectrumSamples) / printRateHz)
)
/** 50 dB below the loudest part is silence or coding noise: it has no word. */
const silentShare = 1e-5

/** As words, from each beginning. */
export type Fingerprint = ReadonlyArray<Uint32Array>

/** Steps at one go: a few milliseconds, because other work of this thread waits. */
const stepsAtOnce = 64

/** Energies of the bands, row by row, one row for each step. */
const energiesOf = Effect.fnUntraced(function* (samples: Float32Array) {
  const steps = Math.max(0, Math.floor((samples.length - spectrumSamples) / stepSamples / 2) * 2)
  const rows = new Float32Array(steps * bandsCount)
  const spectra = new Spectra()
  for (let step = 0; step < steps; step += 2) {
    for (const [which, power] of spectra
      .spectraOfTwo(samples, step * stepSamples, (step + 1) * stepSamples)
      .entries()) {
      for (let band = 0; band < bandsCount; band++) {
        let sum = 0
        for (let bin = edges[band]!; bin < edges[band + 1]!; bin++) sum += power[bin]!
        rows[(step + which) * bandsCount + band] = sum
      }
    }
    if (step % stepsAtOnce === 0) yield* Effect.yieldNow
  }
  return rows
})

const wordsOf = (rows: Float32Array, phase: number, floor: number): Uint32Array => {
  const steps = rows.length / bandsCount
  return Uint32Array.from({ length: Math.max(0, Math.ceil((steps - phasesCount - phase) / phasesCount)) }, (_, at) => {
    const before = (at * phasesCount + phase) * bandsCount
    const now = before + phasesCount * bandsCount
    let [word, energy] = [0, rows[now]!]
    for (let band = 0; band + 1 < bandsCount; band++) {
      energy += rows[now + band + 1]!
      if (rows[now + band]! - rows[now + band + 1]! > rows[before + band]! - rows[before + band + 1]!) word |= 1 << band
    }
    return energy > floor ? word : 0
  })
}

/** From a file of mono float32 at `printRateHz`. */
export const fingerprintOf = Effect.fnUntraced(function* (path: string) {
  const bytes = yield* disk(() => readFile(path))
  const rows = yield* energiesOf(new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 2))
  const floor = (silentShare * rows.reduce((sum, energy) => sum + energy, 0)) / Math.max(1, rows.length / bandsCount)
  return Array.from({ length: phasesCount }, (_, phase) => wordsOf(rows, phase, floor)) satisfies Fingerprint
})

/** The kept part: at most 56 KiB for a quarter of an hour. */
export const keptOf = ([first]: Fingerprint): Uint8Array => new Uint8Array(first!.slice().buffer)

const bitsOf = (word: number): number => {
  const pairs = word - ((word >>> 1) & 0x5555_5555)
  const fours = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24
}

/** Share of different bits where both sound, with `others` `offset` words late; 1 where there is too little to compare. */
const differenceAt = (
  words: Uint32Array,
  others: Uint32Array,
  offset: number,
  [from, to]: readonly [number, number],
  least: number
): number => {
  let bits = 0
  let compared = 0
  for (let at = Math.max(from, -offset), end = Math.min(to, others.length - offset); at < end; at++) {
    const one = words[at]!
    const other = others[at + offset]!
    if (one === 0 || other === 0) continue
    bits += bitsOf(one ^ other)
    compared++
  }
  return compared < Math.max(1, least) ? 1 : bits / compared / 32
}

const countSounding = (words: Uint32Array) => words.reduce((count, word) => count + (word === 0 ? 0 : 1), 0)

/** Sixteen seconds of sound locate a recording within another. */
const excerptWords = 256

/** From the middle outwards, until there is enough sound. */
const excerptOf = (words: Uint32Array): readonly [from: number, to: number] => {
  const middle = words.length >> 1
  for (let reach = excerptWords >> 1; reach < middle; reach *= 2) {
    if (countSounding(words.subarray(middle - reach, middle + reach)) >= excerptWords >> 1)
      return [middle - reach, middle + reach]
  }
  return [0, words.length]
}

/** Difference to a kept recording at the best alignment: 0 is the same, half is unrelated, 1 can't be compared. */
export const differenceOf = (print: Fingerprint, kept: Uint8Array): number => {
  const others = new Uint32Array(kept.slice().buffer, 0, kept.length >> 2)
  const reach = Math.round(
    ((fingerprintShiftSec + ((others.length * hopSamples) / printRateHz) * fingerprintLengthShare) * printRateHz) /
      hopSamples
  )
  const least = Math.min(countSounding(print[0]!), countSounding(others)) / 2
  let nearest = { rate: 1, words: print[0]!, offset: 0 }
  for (const words of print) {
    const excerpt = excerptOf(words)
    const enough = countSounding(words.subarray(...excerpt)) / 2
    for (let offset = -reach; offset <= reach; offset++) {
      const rate = differenceAt(words, others, offset, excerpt, enough)
      if (rate < nearest.rate) nearest = { rate, words, offset }
    }
  }
  return differenceAt(nearest.words, others, nearest.offset, [0, nearest.words.length], least)
}
