import { sampleRateHz } from "../../../schema/time/Samples.ts"

/** One stage of a filter: b0, b1, b2, a1, a2. */
type Biquad = readonly [number, number, number, number, number]
/** K-weighting of ITU-R BS.1770-4 at 48 kHz: the head as a shelf, then a high pass. */
const stages: ReadonlyArray<Biquad> = [
  [1.53512485958697, -2.69169618940638, 1.19839281085285, -1.69065929318241, 0.73248077421585],
  [1, -2, 1, -1.99004745483398, 0.99007225036621]
]

/** Energies of the K-weighted sound in blocks of 100 ms, fed in pieces of any length. */
export class KWeighted {
  readonly blocks: Array<number> = []
  readonly #states = [new Float64Array(4), new Float64Array(4)]
  #sum = 0
  #count = 0

  add(channels: readonly [Float32Array, Float32Array]): void {
    const blockSamples = sampleRateHz / 10
    const [first, second] = stages as readonly [Biquad, Biquad]
    for (let i = 0; i < channels[0].length; i++) {
      for (let channel = 0; channel < 2; channel++) {
        const state = this.#states[channel]!
        const x = channels[channel]![i]!
        // Transposed direct form: two values remembered a stage.
        const y = first[0] * x + state[0]!
        state[0] = first[1] * x - first[3] * y + state[1]!
        state[1] = first[2] * x - first[4] * y
        const z = second[0] * y + state[2]!
        state[2] = second[1] * y - second[3] * z + state[3]!
        state[3] = second[2] * y - second[4] * z
        this.#sum += z * z
      }
      if (++this.#count === blockSamples) {
        this.blocks.push(this.#sum / blockSamples)
        this.#sum = 0
        this.#count = 0
      }
    }
  }
}

const lufs = (energy: number): number => -0.691 + 10 * Math.log10(energy + 1e-12)
const mean = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** Loudness of each window of `blocksCount` blocks: 4 are momentary, 30 short-term. */
export const windows = (blocks: ReadonlyArray<number>, blocksCount: number): ReadonlyArray<number> => {
  const out: Array<number> = []
  let sum = 0
  for (const [i, block] of blocks.entries()) {
    sum += block
    if (i >= blocksCount) sum -= blocks[i - blocksCount]!
    if (i >= blocksCount - 1) out.push(lufs(Math.max(0, sum) / blocksCount))
  }
  return out
}

const gateBlocks = (blocks: ReadonlyArray<number>, blocksCount: number, stepBlocks: number, relativeLu: number) => {
  const energies: Array<number> = []
  for (let at = 0; at + blocksCount <= blocks.length; at += stepBlocks) {
    const energy = mean(blocks.slice(at, at + blocksCount))
    if (lufs(energy) > -70) energies.push(energy)
  }
  if (energies.length === 0) return []
  const gate = lufs(mean(energies)) + relativeLu
  return energies.filter((energy) => lufs(energy) > gate)
}

/** Integrated loudness of EBU R 128. Minus infinity for silence. */
export const integratedLufs = (blocks: ReadonlyArray<number>): number => {
  const kept = gateBlocks(blocks, 4, 1, -10)
  return kept.length === 0 ? Number.NEGATIVE_INFINITY : lufs(mean(kept))
}

/** Loudness range of EBU Tech 3342: between the 10th and 95th percentile of the short-term loudness, gated 20 LU below the mean. */
export const rangeLu = (blocks: ReadonlyArray<number>): number => {
  const levels = gateBlocks(blocks, 30, 10, -20)
    .map(lufs)
    .toSorted((a, b) => a - b)
  if (levels.length < 2) return 0
  const levelAtShare = (share: number) => levels[Math.min(levels.length - 1, Math.round(share * (levels.length - 1)))]!
  return levelAtShare(0.95) - levelAtShare(0.1)
}
