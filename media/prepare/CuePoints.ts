import { envelopeMs } from "../../engine/rules/sound/limits.ts"
import { CuePoints } from "../../schema/Sound.ts"
import type { SoundKind } from "../../schema/Sound.ts"
import { envelopeSamples } from "./SoundScan.ts"

/** On the envelope's scale of 255. Mastered sound peaks near 200, so this is about −42 dB under it. */
const heard = 2
/** An ending fades from here on: about 12 dB under the peaks. */
const fading = 0.25
/** An intro still builds up before this. */
const built = 0.6
const introMaxMs = 20_000
const segueMaxMs = 8_000
/** A consonant begins softer than the envelope shows, and a word ends so. */
const leadSlots = 2
const tailSlots = 4

const samples = (ms: number) => Math.round(ms * 48)

/**
 * Entry and exit points of a sound, found in its envelope if the maker gave none. Speech is never talked over; a whole bed may be; music
 * may until it has built up, and ends where its ending begins to fade.
 */
export const cuePointsOf = (
  kind: SoundKind,
  envelope: Uint8Array,
  lengthSamples: number,
  given: {
    readonly introEndMs: number | null
    readonly segueMs: number | null
  }
): CuePoints => {
  const first = envelope.findIndex((loud) => loud > heard)
  const last = envelope.findLastIndex((loud) => loud > heard)
  const cueIn = first < 0 ? 0 : Math.max(0, first - leadSlots) * envelopeSamples
  const cueOut = last < 0 ? lengthSamples : Math.min(lengthSamples, (last + 1 + tailSlots) * envelopeSamples)
  const clamp = (at: number, low: number) => Math.min(cueOut, Math.max(low, at))
  const speech = kind === "speech" || kind === "ident"

  const peak = envelope.reduce((most, loud) => Math.max(most, loud), 0)
  const foundIntro = () => {
    const slots = Math.min(envelope.length, Math.max(0, first) + introMaxMs / envelopeMs)
    const at = envelope.subarray(0, slots).findIndex((loud) => loud >= peak * built)
    return at < 0 ? cueIn : at * envelopeSamples
  }
  const foundSegue = () => {
    const at = envelope.findLastIndex((loud) => loud >= peak * fading)
    return Math.max((at + 1) * envelopeSamples, cueOut - samples(segueMaxMs))
  }
  const introEnd =
    given.introEndMs !== null
      ? samples(given.introEndMs)
      : kind === "bed"
        ? cueOut
        : kind === "music"
          ? foundIntro()
          : cueIn
  const segue = given.segueMs !== null ? samples(given.segueMs) : speech ? cueOut : foundSegue()
  const clampedIntro = clamp(introEnd, cueIn)
  return new CuePoints({
    cueIn,
    introEnd: clampedIntro,
    segue: clamp(segue, kind === "bed" ? cueIn : clampedIntro),
    cueOut
  })
}
