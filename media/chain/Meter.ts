import type { MeterReading } from "../../schema/air/Meters.ts"
import { truePeakReadFromDbtp } from "../../engine/rules/air/limits.ts"
import { channelsCount, sampleRateHz } from "../../schema/time/Samples.ts"
import { TruePeak } from "../mixer/TruePeak.ts"
import { KWeighting } from "./KWeighting.ts"

const blockFrames = sampleRateHz / 10
const momentaryBlocks = 4
const shortTermBlocks = 30
const vuSec = 0.3
const vuShare = 1 - Math.exp(-1 / (sampleRateHz * vuSec))
const absoluteGateLufs = -70
const relativeGateLu = -10
/** Loudness in tenths of LU from the absolute gate up, so that an hour's measure takes no more memory than a second's. */
const bins = 800

const lufs = (power: number) => -0.691 + 10 * Math.log10(Math.max(power, 1e-12))
const roundAudible = (value: number): number | null => (value < absoluteGateLufs ? null : Math.round(value * 10) / 10)
const decibel = (level: number): number | null => roundAudible(20 * Math.log10(Math.max(level, 1e-9)))
const mean = (values: ReadonlyArray<number>) => values.reduce((sum, value) => sum + value, 0) / values.length

/** Integrated loudness by ITU-R BS.1770-4, of blocks of 400 ms. */
class Integrated {
  readonly #counts = new Uint32Array(bins)
  readonly #powers = new Float64Array(bins)

  add(power: number): void {
    const bin = Math.floor((lufs(power) - absoluteGateLufs) * 10)
    if (bin < 0) return
    const at = Math.min(bin, bins - 1)
    this.#counts[at]! += 1
    this.#powers[at]! += power
  }

  get lufs(): number | null {
    const above = (from: number) => {
      let [count, power] = [0, 0]
      for (let bin = Math.max(0, from); bin < bins; bin++) {
        count += this.#counts[bin]!
        power += this.#powers[bin]!
      }
      return count === 0 ? null : power / count
    }
    const ungated = above(0)
    if (ungated === null) return null
    const gated = above(Math.floor((lufs(ungated) + relativeGateLu - absoluteGateLufs) * 10))
    return gated === null ? null : roundAudible(lufs(gated))
  }

  reset(): void {
    this.#counts.fill(0)
    this.#powers.fill(0)
  }
}

/**
 * Meters of the programme as it goes to the encoders: level with the ballistics of a VU meter, momentary, short-term and integrated loudness,
 * true peak. One reading each 100 ms. Integrated loudness and the highest peak begin anew with each item.
 */
export class Meter {
  readonly #weighting = new KWeighting()
  readonly #peaks = [0, 1].map(() => new TruePeak(blockFrames, 10 ** (truePeakReadFromDbtp / 20)))
  readonly #block = new Float32Array(blockFrames * channelsCount)
  readonly #vu = new Float64Array(channelsCount)
  readonly #integrated = new Integrated()
  readonly #onReading: (reading: MeterReading) => void
  #filled = 0
  #at: number
  #powers: Array<number> = []
  #sinceSample: number
  #maxPeak = 0

  constructor(startSample: number, onReading: (reading: MeterReading) => void) {
    this.#at = startSample
    this.#sinceSample = startSample
    this.#onReading = onReading
  }

  /** Another item begins. */
  begin(): void {
    this.#integrated.reset()
    this.#maxPeak = 0
    this.#sinceSample = this.#at + this.#filled
  }

  /** Interleaved stereo. */
  push(pcm: Float32Array): void {
    for (let done = 0; done < pcm.length / channelsCount;) {
      const frames = Math.min(blockFrames - this.#filled, pcm.length / channelsCount - done)
      this.#block.set(pcm.subarray(done * channelsCount, (done + frames) * channelsCount), this.#filled * channelsCount)
      this.#filled += frames
      done += frames
      if (this.#filled === blockFrames) this.#read()
    }
  }

  #read(): void {
    const block = this.#block
    for (let i = 0; i < block.length; i++) {
      const channel = i % channelsCount
      this.#vu[channel]! += (block[i]! ** 2 - this.#vu[channel]!) * vuShare
    }
    this.#powers = [...this.#powers, this.#weighting.power(block) / blockFrames].slice(-shortTermBlocks)
    const momentary = this.#powers.length < momentaryBlocks ? null : mean(this.#powers.slice(-momentaryBlocks))
    if (momentary !== null) this.#integrated.add(momentary)
    const peaks = this.#peaks.map((peak, channel) => peak.push(block, channel))
    this.#maxPeak = Math.max(this.#maxPeak, ...peaks)
    this.#at += blockFrames
    this.#filled = 0
    this.#onReading({
      atSample: this.#at,
      vuDb: [decibel(Math.sqrt(this.#vu[0]!)), decibel(Math.sqrt(this.#vu[1]!))],
      momentaryLufs: momentary === null ? null : roundAudible(lufs(momentary)),
      shortTermLufs: this.#powers.length < shortTermBlocks ? null : roundAudible(lufs(mean(this.#powers))),
      integratedLufs: this.#integrated.lufs,
      integratedSec: Math.max(0, Math.round(((this.#at - this.#sinceSample) / sampleRateHz) * 10) / 10),
      truePeakDbtp: [decibel(peaks[0]!), decibel(peaks[1]!)],
      maxTruePeakDbtp: decibel(this.#maxPeak)
    })
  }
}
