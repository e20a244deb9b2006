import {
  clippedMaxPct, dcOffsetMax, innerSilenceMusicMaxSec, innerSilenceSpeechMaxSec, musicMaxSec, silenceDbfs, speechMaxSec, speechMinSec
} from "../engine/Limits.ts"
import { Unairable } from "../engine/ports/Prepare.ts"
import type { RawSound } from "../engine/ports/Speech.ts"
import type { SoundKind } from "../schema/Sound.ts"

const fromDb = (db: number) => 10 ** (db / 20)

/** Three samples in a row at the same full scale are a clipped peak: one may just touch it, and float peaks may pass it. */
const clippedRun = 3
const fullScale = 0.9995
const flat = 1e-4

/** What one pass over the samples of a sound shows. */
export interface Findings {
  readonly lengthSec: number
  readonly peak: number
  readonly dcOffset: number
  readonly clippedPct: number
  readonly innerSilenceSec: number
  readonly finite: boolean
}

/** A song has 14 million frames: whoever looks at it on a thread with other work pauses after this many. */
const blockFrames = 240_000

/** Looks at a sound block by block; silence is inner when sound comes before and after it on any channel. */
export const looking = function*({ channels, sampleRateHz }: RawSound): Generator<void, Findings> {
  const length = channels[0]?.length ?? 0
  const floor = fromDb(silenceDbfs)
  const sums = channels.map(() => 0)
  const runs = channels.map(() => 0)
  let peak = 0
  let clipped = 0
  let lastSound = -1
  let longest = 0
  for (let from = 0; from < length; from += blockFrames) {
    const to = Math.min(length, from + blockFrames)
    const sounding = new Uint8Array(to - from)
    for (const [which, channel] of channels.entries()) {
      let sum = sums[which]!
      let run = runs[which]!
      for (let i = from; i < to; i++) {
        const sample = channel[i]!
        const size = Math.abs(sample)
        sum += sample
        if (size > peak) peak = size
        if (size > floor) sounding[i - from] = 1
        run = size < fullScale ? 0 : i > 0 && Math.abs(sample - channel[i - 1]!) < flat ? run + 1 : 1
        if (run === clippedRun) clipped += clippedRun
        else if (run > clippedRun) clipped++
      }
      sums[which] = sum
      runs[which] = run
    }
    for (let i = from; i < to; i++) {
      if (sounding[i - from] === 0) continue
      if (lastSound >= 0 && i - lastSound > longest) longest = i - lastSound
      lastSound = i
    }
    yield
  }
  return {
    lengthSec: length / sampleRateHz,
    peak,
    dcOffset: Math.max(0, ...sums.map((sum) => Math.abs(sum / Math.max(1, length)))),
    clippedPct: 100 * clipped / Math.max(1, length * channels.length),
    innerSilenceSec: longest / sampleRateHz,
    // A sum is a number only if each of its parts is.
    finite: sums.every((sum) => Number.isFinite(sum))
  }
}

/** All of it at once, for sounds that are short. */
export const findingsOf = (raw: RawSound): Findings => {
  const look = looking(raw)
  for (;;) {
    const step = look.next()
    if (step.done === true) return step.value
  }
}

const refuse = (code: Unairable["code"], detail: string) => new Unairable({ code, detail })

/** Why this sound can't air, or null. Its loudness is no reason: mastering corrects that. */
export const objectionTo = (kind: SoundKind, raw: RawSound, found: Findings): Unairable | null => {
  const speech = kind === "speech" || kind === "ident"
  const [first, second] = raw.channels
  if (first === undefined || raw.channels.length > 2 || !(raw.sampleRateHz >= 8_000 && raw.sampleRateHz <= 192_000)) {
    return refuse("undecodable", "The sound must have one or two channels at 8 to 192 kHz.")
  }
  if (second !== undefined && second.length !== first.length) return refuse("length_mismatch", "The two channels differ in length.")
  const maxSec = speech ? speechMaxSec : musicMaxSec
  const silenceMaxSec = speech ? innerSilenceSpeechMaxSec : innerSilenceMusicMaxSec
  if (!found.finite) return refuse("not_a_number", "The sound has samples that are not finite numbers.")
  if (found.lengthSec < speechMinSec) return refuse("too_short", `The sound lasts ${found.lengthSec.toFixed(2)} s; ${speechMinSec} s is the least.`)
  if (found.lengthSec > maxSec) return refuse("too_long", `The sound lasts ${found.lengthSec.toFixed(1)} s; ${maxSec} s is the most.`)
  if (found.peak <= fromDb(silenceDbfs)) return refuse("silent", `Nothing in the sound is louder than ${silenceDbfs} dBFS.`)
  if (found.dcOffset > dcOffsetMax) return refuse("dc_offset", `The sound has a DC offset of ${found.dcOffset.toFixed(3)}; ${dcOffsetMax} is the most.`)
  if (found.clippedPct > clippedMaxPct) return refuse("clipped", `${found.clippedPct.toFixed(2)} % of the samples are clipped; ${clippedMaxPct} % is the most.`)
  if (found.innerSilenceSec > silenceMaxSec) {
    return refuse("inner_silence", `The sound falls silent for ${found.innerSilenceSec.toFixed(1)} s; ${silenceMaxSec} s is the most.`)
  }
  return null
}
