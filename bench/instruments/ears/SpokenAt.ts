import { sampleRateHz } from "../../../schema/time/Samples.ts"
import { find } from "./Correlate.ts"

const alikeEnough = 0.6
/** Maximum distance of speech from its reported start: a frame of the codec and the decoder's delay. */
const toleranceMs = 50
/** Compared part: long enough to recognise, from one second after its start, which may be mixed with other sound. */
const excerptSec = 3,
  skipSec = 1

export const cutSeconds = (sound: Float32Array, fromSec: number, toSec: number) =>
  sound.subarray(Math.max(0, Math.round(fromSec * sampleRateHz)), Math.round(toSec * sampleRateHz))

/** True if the speech is at its reported position in the recording, by comparison with its own sound. */
export const isSpokenAt = (
  heard: Float32Array,
  own: Float32Array,
  fromSec: number
): { readonly isThere: boolean; readonly said: string } => {
  const excerpt = cutSeconds(own, skipSec, Math.min(skipSec + excerptSec, own.length / sampleRateHz))
  const { correlation, offsetSamples } = find(excerpt, cutSeconds(heard, fromSec, fromSec + excerptSec + 3))
  const offMs = (offsetSamples / sampleRateHz - skipSec) * 1_000
  return {
    isThere: correlation >= alikeEnough && Math.abs(offMs) <= toleranceMs,
    said: `correlation ${correlation.toFixed(3)}, ${offMs.toFixed(0)} ms off`
  }
}
