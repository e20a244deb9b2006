import { sampleRateHz } from "../../schema/time/Samples.ts"
import { find } from "./Correlate.ts"

const alikeEnough = 0.6
/** How far speech may begin from where the station says it does: a frame of the codec, and the decoder's own delay. */
const toleranceMs = 50
/** What is compared of it: enough to know it again, a second after its beginning, which may lie over something else. */
const excerptSec = 3,
  skipSec = 1

export const cut = (sound: Float32Array, fromSec: number, toSec: number) =>
  sound.subarray(Math.max(0, Math.round(fromSec * sampleRateHz)), Math.round(toSec * sampleRateHz))

/** Whether speech lies in what was heard where it is said to begin, by its own sound as it was before. */
export const spokenAt = (
  heard: Float32Array,
  own: Float32Array,
  fromSec: number
): { readonly isThere: boolean; readonly said: string } => {
  const excerpt = cut(own, skipSec, Math.min(skipSec + excerptSec, own.length / sampleRateHz))
  const { correlation, offsetSamples } = find(excerpt, cut(heard, fromSec, fromSec + excerptSec + 3))
  const offMs = (offsetSamples / sampleRateHz - skipSec) * 1_000
  return {
    isThere: correlation >= alikeEnough && Math.abs(offMs) <= toleranceMs,
    said: `found with ${correlation.toFixed(3)}, ${offMs.toFixed(0)} ms off`
  }
}
