import { probeSilenceDbfs } from "../../engine/rules/air/limits.ts"
import { channelsCount, sampleRateHz } from "../../schema/time/Samples.ts"

/** K-weighting of ITU-R BS.1770-4 at 48 kHz: a head-shaped shelf, then a high pass. */
const stages = [
  {
    b0: 1.535_124_859_586_97,
    b1: -2.691_696_189_406_38,
    b2: 1.198_392_810_852_85,
    a1: -1.690_659_293_182_41,
    a2: 0.732_480_774_215_85
  },
  { b0: 1, b1: -2, b2: 1, a1: -1.990_047_454_833_98, a2: 0.990_072_250_366_21 }
] as const

const blockSamples = sampleRateHz / 10
const blocksPerShortTerm = 30

/** Measures decoded sound: duration of the current silence and loudness of the last three seconds. */
export class ListenerEar {
  readonly #state = new Float64Array(stages.length * channelsCount * 2)
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
    const state = this.#state
    for (let i = 0; i < pcm.length; i++) {
      const channel = i % channelsCount
      let value = pcm[i]!
      this.#power += value * value
      for (let stage = 0; stage < stages.length; stage++) {
        const { a1, a2, b0, b1, b2 } = stages[stage]!
        const at = (stage * channelsCount + channel) * 2
        const out = b0 * value + state[at]!
        state[at] = b1 * value - a1 * out + state[at + 1]!
        state[at + 1] = b2 * value - a2 * out
        value = out
      }
      this.#weighted += value * value
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
