import { musicMaxSec } from "../../engine/rules/music/limits.ts"
import {
  clippedMaxPct,
  dcOffsetMax,
  innerSilenceMusicMaxSec,
  innerSilenceSpeechMaxSec,
  silenceDbfs
} from "../../engine/rules/sound/limits.ts"
import { speechMaxSec, speechMinSec } from "../../engine/rules/voices/limits.ts"
import { Unairable } from "../../engine/ports/Prepare.ts"
import type { RawSound } from "../../engine/ports/Speech.ts"
import type { SoundKind } from "../../schema/Sound.ts"

const fromDb = (db: number) => 10 ** (db / 20)

/** Three samples in a row at the same full scale are a clipped peak: one may just touch it, and float peaks may pass it. */
const clippedRun = 3
const fullScale = 0.9995
const flat = 1e-4

/** Findings of one pass over a sound's samples. */
export interface Findings {
  readonly lengthSec: number
  readonly peak: number
  readonly dcOffset: number
  readonly clippedPct: number
  readonly innerSilenceSec: number
  readonly finite: boolean
}

/** A song has 14 million frames: on a shared thread, pause after this many. */
const blockFrames = 240_000

/** Examines a sound block by block, from any source; silence is inner if sound comes before and after it on any channel. */
export class Look {
  readonly #sampleRateHz: number
  readonly #channels: ReadonlyArray<{ sum: number; run: number; last: number }>
  #frames = 0
  #peak = 0
  #clipped = 0
  #lastSound = -1
  #longest = 0

  constructor(channelsCount: number, sampleRateHz: number) {
    this.#sampleRateHz = sampleRateHz
    this.#channels = Array.from({ length: channelsCount }, () => ({ sum: 0, run: 0, last: Number.NaN }))
  }

  /** The next block, each channel for itself. */
  see(block: ReadonlyArray<Float32Array>): void {
    const floor = fromDb(silenceDbfs)
    const length = block[0]?.length ?? 0
    const sounding = new Uint8Array(length)
    for (const [which, channel] of this.#channels.entries()) {
      const samples = block[which]!
      let { last, run, sum } = channel
      for (let i = 0; i < length; i++) {
        const sample = samples[i]!
        const size = Math.abs(sample)
        sum += sample
        if (size > this.#peak) this.#peak = size
        if (size > floor) sounding[i] = 1
        run = size < fullScale ? 0 : Math.abs(sample - last) < flat ? run + 1 : 1
        if (run === clippedRun) this.#clipped += clippedRun
        else if (run > clippedRun) this.#clipped++
        last = sample
      }
      Object.assign(channel, { last, run, sum })
    }
    for (let i = 0; i < length; i++) {
      if (sounding[i] === 0) continue
      const at = this.#frames + i
      if (this.#lastSound >= 0 && at - this.#lastSound > this.#longest) this.#longest = at - this.#lastSound
      this.#lastSound = at
    }
    this.#frames += length
  }

  get findings(): Findings {
    const sums = this.#channels.map(({ sum }) => sum)
    return {
      lengthSec: this.#frames / this.#sampleRateHz,
      peak: this.#peak,
      dcOffset: Math.max(0, ...sums.map((sum) => Math.abs(sum / Math.max(1, this.#frames)))),
      clippedPct: (100 * this.#clipped) / Math.max(1, this.#frames * sums.length),
      innerSilenceSec: this.#longest / this.#sampleRateHz,
      // A sum is a number only if each of its parts is.
      finite: sums.every((sum) => Number.isFinite(sum))
    }
  }
}

/** Examines a sound in memory, pausing after every block. */
export const examine = function* ({ channels, sampleRateHz }: RawSound): Generator<void, Findings> {
  const look = new Look(channels.length, sampleRateHz)
  const length = channels[0]?.length ?? 0
  for (let from = 0; from < length; from += blockFrames) {
    look.see(channels.map((channel) => channel.subarray(from, Math.min(length, from + blockFrames))))
    yield
  }
  return look.findings
}

/** Examines a short sound at once. */
export const findingsOf = (raw: RawSound): Findings => {
  const look = examine(raw)
  for (;;) {
    const step = look.next()
    if (step.done === true) return step.value
  }
}

const refuse = (code: Unairable["code"], detail: string) => new Unairable({ code, detail })

/** Why this sound can't air, or null. Loudness is no reason: mastering corrects it. */
export const objectionTo = (kind: SoundKind, raw: RawSound, found: Findings): Unairable | null => {
  const [first, second] = raw.channels
  if (first === undefined || raw.channels.length > 2 || !(raw.sampleRateHz >= 8_000 && raw.sampleRateHz <= 192_000)) {
    return refuse("undecodable", "The sound must have one or two channels at 8 to 192 kHz.")
  }
  if (second !== undefined && second.length !== first.length)
    return refuse("length_mismatch", "The two channels differ in length.")
  return objectionOf(kind, found)
}

/** The same for a sound's findings, wherever it is stored. */
export const objectionOf = (kind: SoundKind, found: Findings): Unairable | null => {
  const speech = kind === "speech" || kind === "ident"
  const maxSec = speech ? speechMaxSec : musicMaxSec
  const silenceMaxSec = speech ? innerSilenceSpeechMaxSec : innerSilenceMusicMaxSec
  if (!found.finite) return refuse("not_a_number", "The sound has samples that are not finite numbers.")
  if (found.lengthSec < speechMinSec)
    return refuse("too_short", `The sound lasts ${found.lengthSec.toFixed(2)} s; ${speechMinSec} s is the least.`)
  if (found.lengthSec > maxSec)
    return refuse("too_long", `The sound lasts ${found.lengthSec.toFixed(1)} s; ${maxSec} s is the most.`)
  if (found.peak <= fromDb(silenceDbfs))
    return refuse("silent", `Nothing in the sound is louder than ${silenceDbfs} dBFS.`)
  if (found.dcOffset > dcOffsetMax)
    return refuse("dc_offset", `The sound has a DC offset of ${found.dcOffset.toFixed(3)}; ${dcOffsetMax} is the most.`)
  if (found.clippedPct > clippedMaxPct)
    return refuse(
      "clipped",
      `${found.clippedPct.toFixed(2)} % of the samples are clipped; ${clippedMaxPct} % is the most.`
    )
  if (found.innerSilenceSec > silenceMaxSec) {
    return refuse(
      "inner_silence",
      `The sound falls silent for ${found.innerSilenceSec.toFixed(1)} s; ${silenceMaxSec} s is the most.`
    )
  }
  return null
}
