import { sampleRateHz } from "../../schema/time/Samples.ts"
import { cellFrames } from "./Limiter.ts"

/** One turn of the chords. All partials fit a whole number of times, so the loop has no seam. */
const turnSamples = sampleRateHz * 16
const tableSize = 8_192
const sine = Float32Array.from({ length: tableSize + 1 }, (_, at) => Math.sin((2 * Math.PI * at) / tableSize))

/** Four soft chords, four seconds each, and how much of each voice lies left. */
const chords: ReadonlyArray<ReadonlyArray<readonly [hz: number, left: number]>> = [
  [
    [110, 0.5],
    [164.8125, 0.35],
    [220, 0.65],
    [277.1875, 0.4]
  ],
  [
    [98, 0.5],
    [146.8125, 0.65],
    [196, 0.35],
    [246.9375, 0.6]
  ],
  [
    [87.3125, 0.5],
    [130.8125, 0.35],
    [174.625, 0.65],
    [220, 0.4]
  ],
  [
    [98, 0.5],
    [146.8125, 0.65],
    [196, 0.35],
    [293.6875, 0.6]
  ]
]

/** About −20 LUFS: audible, and never in the way. */
const level = 0.12

/**
 * The station's own bed, for when there is nothing else. Needs no disk, database or decoder, and follows from the sample number alone.
 * Adds one cell, at a gain that moves from `from` to `to`.
 */
export const addTone = (out: Float32Array, atSample: number, from: number, to: number): void => {
  const quarter = turnSamples / 4
  const at = atSample % turnSamples
  const index = Math.floor(at / quarter)
  for (const [chord, isNext] of [
    [chords[index]!, false],
    [chords[(index + 1) % 4]!, true]
  ] as const) {
    // The next chord rises while this one falls, a cell within a quarter: it is never silent and never jumps.
    const riseOf = (sample: number) => Math.max(0, (sample / quarter) * 4 - 3)
    const share = (sample: number) => (isNext ? riseOf(sample) : 1 - riseOf(sample))
    const begin = level * from * share(at % quarter)
    const step = (level * to * share((at % quarter) + cellFrames) - begin) / cellFrames
    if (begin === 0 && step === 0) continue
    for (const [hz, left] of chord) {
      const turns = (hz / sampleRateHz) * tableSize
      const phase = (at * turns) % tableSize
      for (let frame = 0; frame < cellFrames; frame++) {
        const value = sine[((phase + turns * frame) % tableSize) | 0]! * (begin + step * frame)
        out[frame * 2]! += value * left
        out[frame * 2 + 1]! += value * (1 - left)
      }
    }
  }
}
