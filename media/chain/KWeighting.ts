import { channelsCount } from "../../schema/time/Samples.ts"

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

/** Filter of both channels, with its state from one piece of sound to the next. */
export class KWeighting {
  readonly #state = new Float64Array(stages.length * channelsCount * 2)

  /** Sum of the squared weighted samples of interleaved stereo. */
  power(pcm: Float32Array): number {
    let sum = 0
    for (let i = 0; i < pcm.length; i++) sum += this.filterNext(pcm[i]!, i % channelsCount) ** 2
    return sum
  }

  filterNext(sample: number, channel: number): number {
    const state = this.#state
    let value = sample
    for (let stage = 0; stage < stages.length; stage++) {
      const { a1, a2, b0, b1, b2 } = stages[stage]!
      const at = (stage * channelsCount + channel) * 2
      const out = b0 * value + state[at]!
      state[at] = b1 * value - a1 * out + state[at + 1]!
      state[at + 1] = b2 * value - a2 * out
      value = out
    }
    return value
  }
}
