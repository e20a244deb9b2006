import { describe, expect, it } from "vitest"
import { cellFrames } from "../../../media/mixer/Limiter.ts"
import { addTone } from "../../../media/mixer/Tone.ts"

const rate = 48_000
/** One turn and the start of the next one. */
const frames = Math.ceil((17 * rate) / cellFrames) * cellFrames

const tone = (() => {
  const pcm = new Float32Array(frames * 2)
  for (let at = 0; at < frames; at += cellFrames) addTone(pcm.subarray(at * 2, (at + cellFrames) * 2), at, 1, 1)
  return pcm
})()

describe("the station's own bed", () => {
  it("has no click, neither between chords nor at its repetition", () => {
    let bend = 0
    for (let frame = 2; frame < frames; frame++)
      bend = Math.max(bend, Math.abs(tone[frame * 2]! - 2 * tone[(frame - 1) * 2]! + tone[(frame - 2) * 2]!))
    expect(bend).toBeLessThan(0.001)
  })

  it("is never silent and never loud", () => {
    for (let from = 0; from + rate / 5 < frames; from += rate / 5) {
      let sum = 0
      for (let at = from * 2; at < (from + rate / 5) * 2; at++) sum += tone[at]! ** 2
      const db = 10 * Math.log10(sum / ((rate * 2) / 5))
      expect(db).toBeGreaterThan(-27)
      expect(db).toBeLessThan(-17)
    }
  })

  it("is a function of the sample number", () => {
    const again = new Float32Array(cellFrames * 2)
    addTone(again, 100 * cellFrames, 1, 1)
    expect(again).toEqual(tone.slice(100 * cellFrames * 2, 101 * cellFrames * 2))
    const turnLater = new Float32Array(cellFrames * 2)
    addTone(turnLater, 100 * cellFrames + 16 * rate * 1_000, 1, 1)
    expect(turnLater).toEqual(again)
  })
})
