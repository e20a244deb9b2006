import { sampleRateHz } from "../../../schema/time/Samples.ts"
import { find } from "./Correlate.ts"
import { type HeardStretch, likeness } from "./HeardAndLogged.ts"

/** Differences between two recordings of one broadcast, in samples. */
export interface Mp3Difference {
  readonly comparedSamples: number
  /** Sound that the second recording lacks. */
  readonly missingSamples: number
  /** Sound that it has twice. */
  readonly doubledSamples: number
  /** Sound in it that is nowhere in the first. */
  readonly unlikeSamples: number
}

const windowSamples = sampleRateHz / 10
/** Long enough to be found at one place only. */
const needleSamples = 3 * windowSamples
/** A decoder that begins in the middle of a stream lacks what the first frames refer to. */
const warmUpSamples = sampleRateHz / 2
const sameMin = 0.9
const foundMin = 0.8

/** One recording of these stretches, with silence between them. */
const joinStretches = (stretches: ReadonlyArray<HeardStretch>): Float32Array => {
  const first = stretches[0]?.firstSample ?? 0
  const end = Math.max(first, ...stretches.map(({ firstSample, pcm }) => firstSample + pcm.length))
  const whole = new Float32Array(end - first)
  for (const { firstSample, pcm } of stretches) whole.set(pcm, firstSample - first)
  return whole
}

/**
 * Goes through the sound of an MP3 player and finds each piece in what a player of parts heard at the same time. The distance between them stays the
 * same as long as no sound is lost: both are made of the same samples. `stretches` begin before it and end after it; what lies outside isn't compared.
 */
export const compareMp3 = (mp3: Float32Array, stretches: ReadonlyArray<HeardStretch>): Mp3Difference => {
  const parts = joinStretches(stretches)
  const total = { comparedSamples: 0, missingSamples: 0, doubledSamples: 0, unlikeSamples: 0 }
  /** Place of the first sample of `mp3` in `parts`. */
  let shift: number | null = null
  let unlike = 0
  for (let at = warmUpSamples; at + needleSamples <= mp3.length; at += windowSamples) {
    // Later pieces are later in the other recording, too.
    if (shift !== null && at + shift + needleSamples > parts.length) break
    const piece = mp3.subarray(at, at + windowSamples)
    if (shift !== null && likeness(piece, parts, at + shift) >= sameMin) {
      total.comparedSamples += windowSamples
      total.unlikeSamples += unlike
      unlike = 0
      continue
    }
    const found = find(mp3.subarray(at, at + needleSamples), parts)
    if (found.correlation < foundMin) {
      if (shift !== null) unlike += windowSamples
      continue
    }
    const jump: number = shift === null ? 0 : found.offsetSamples - at - shift
    shift = found.offsetSamples - at
    // The windows before the jump that were like nothing lie on its border.
    if (jump !== 0) unlike = Math.max(0, unlike - needleSamples)
    total.missingSamples += Math.max(0, jump)
    total.doubledSamples += Math.max(0, -jump)
    total.comparedSamples += windowSamples
    total.unlikeSamples += unlike
    unlike = 0
  }
  return { ...total, unlikeSamples: total.unlikeSamples + unlike }
}
