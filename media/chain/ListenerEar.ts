import { probeSilenceDbfs } from "../../engine/rules/air/limits.ts"
import { channelsCount, sampleRateHz } from "../../schema/time/Samples.ts"
import { KWeighting } from "./KWeighting.ts"

const blockSamples = sampleRateHz / 10
const blocksPerShortTerm = 30

/** Measures decoded sound: duration of the current silence and loudness of the last three seconds. */
export class ListenerEar {
  readonly #weighting = new KWeighting()
  #power = 0
  #weighted = 0
  #count = 0
  #silentBlocks = 0
  #blocks: Array<number> = []

  /** Seconds of silence up to now. */
  get silentSec(): number {
    return this.#silentBlocks / 10
  }

  /** Short-term loudness; null until three seconds were heard. */
  get loudnessLufs(): number | null {
    if (this.#blocks.length < blocksPerShortTerm) return null
    const mean = this.#blocks.reduce((sum, value) => sum + value, 0) / this.#blocks.length
    return Math.max(-70, -0.691 + 10 * Math.log10(Math.max(mean, 1e-9)))
  }

  /** Interleaved stereo. */
  push(pcm: Float32Array): void {
    for (let i = 0; i < pcm.length; i++) {
      const channel = i % channelsCount
      const value = pcm[i]!
      this.#power += value * value
      this.#weighted += this.#weighting.filterNext(value, channel) ** 2
      if (channel === channelsCount - 1 && ++this.#count === blockSamples) this.#finish()
    }
  }

  #finish(): void {
    const dbfs = 10 * Math.log10(Math.max(this.#power / (blockSamples * channelsCount), 1e-12))
    this.#silentBlocks = dbfs < probeSilenceDbfs ? this.#silentBlocks + 1 : 0
    this.#blocks = [...this.#blocks, this.#weighted / blockSamples].slice(-blocksPerShortTerm)
    this.#power = this.#weighted = this.#count = 0
  }
}
