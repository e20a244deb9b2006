import { liveGainMaxDb, liveGainStepDb, liveTargetLufs, liveSilenceDbfs } from "../../engine/rules/air/limits.ts"
import { channelsCount, sampleRateHz } from "../../schema/time/Samples.ts"
import { KWeighting } from "./KWeighting.ts"

const blockFrames = sampleRateHz / 10
const windowBlocks = 30

/**
 * Brings live sound slowly to the loudness of the programme: its gain follows the loudness of the last three seconds, by at most
 * `liveGainStepDb` each 100 ms, and stays in pauses. Peaks are the limiter's. Also says for how long the sound has been silent.
 */
export class LiveLevel {
  readonly #weighting = new KWeighting()
  #blocks: Array<number> = []
  #power = 0
  #plain = 0
  #frames = 0
  #gainDb = 0
  #silentBlocks = 0

  get silentSec(): number {
    return this.#silentBlocks / 10
  }

  get gainDb(): number {
    return this.#gainDb
  }

  /** Loudness as it arrives; null before the first sound. */
  get inputLufs(): number | null {
    if (this.#blocks.length === 0) return null
    const mean = this.#blocks.reduce((sum, value) => sum + value, 0) / this.#blocks.length
    return -0.691 + 10 * Math.log10(Math.max(mean, 1e-9))
  }

  /** Changes interleaved stereo in place. */
  apply(pcm: Float32Array): void {
    const gain = 10 ** (this.#gainDb / 20)
    for (let i = 0; i < pcm.length; i++) {
      const channel = i % channelsCount
      const sample = Number.isFinite(pcm[i]!) ? Math.max(-4, Math.min(4, pcm[i]!)) : 0
      this.#power += this.#weighting.filterNext(sample, channel) ** 2
      this.#plain += sample * sample
      pcm[i] = sample * gain
      if (channel === channelsCount - 1 && ++this.#frames === blockFrames) this.#measure()
    }
  }

  #measure(): void {
    const isSilent = 10 * Math.log10(Math.max(this.#plain / (blockFrames * channelsCount), 1e-12)) < liveSilenceDbfs
    this.#silentBlocks = isSilent ? this.#silentBlocks + 1 : 0
    if (!isSilent) {
      this.#blocks = [...this.#blocks, this.#power / blockFrames].slice(-windowBlocks)
      const wanted = liveTargetLufs - this.inputLufs!
      const step = Math.max(-liveGainStepDb, Math.min(liveGainStepDb, wanted - this.#gainDb))
      this.#gainDb = Math.max(-liveGainMaxDb, Math.min(liveGainMaxDb, this.#gainDb + step))
    }
    this.#power = this.#plain = this.#frames = 0
  }
}
