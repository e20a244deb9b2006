import { spawnSync } from "node:child_process"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cellFrames, Limiter, limiterCells } from "../../../media/mixer/Limiter.ts"
import { TruePeak } from "../../../media/mixer/TruePeak.ts"
import { bundledFfmpeg } from "../../support/media/Sound.ts"

const rate = 48_000

const limited = (sec: number, value: (at: number) => number): Float32Array => {
  const limiter = new Limiter()
  const cells = Math.round((sec * rate) / cellFrames)
  const out = new Float32Array((cells - limiterCells) * cellFrames)
  let done = 0
  for (let index = 0; index < cells; index++) {
    const cell = Float32Array.from({ length: cellFrames * 2 }, (_, at) => value(index * cellFrames + (at >> 1)))
    const ready = limiter.push(cell)
    if (ready === null) continue
    for (let frame = 0; frame < cellFrames; frame++) out[done++] = ready[frame * 2]!
  }
  return out
}

const bessel = (x: number): number => {
  let sum = 1
  let term = 1
  for (let n = 1; n < 40; n++) sum += term *= (x / 2 / n) ** 2
  return sum
}
const reach = 64
const phases = Array.from({ length: 16 }, (_, phase) =>
  Float64Array.from({ length: 2 * reach }, (_, tap) => {
    const x = tap - reach + 1 - phase / 16
    return (
      ((x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)) *
        bessel(6 * Math.sqrt(Math.max(0, 1 - (x / reach) ** 2)))) /
      bessel(6)
    )
  })
)

/** Sixteen points per sample, through a sinc nearly three times as long as the limiter's own. */
const truePeakDb = (pcm: Float32Array): number => {
  let peak = 0
  for (let at = reach; at < pcm.length - reach; at++) {
    for (const phase of phases) {
      let sum = 0
      for (let tap = 0; tap < 2 * reach; tap++) sum += phase[tap]! * pcm[at - reach + 1 + tap]!
      peak = Math.max(peak, Math.abs(sum))
    }
  }
  return 20 * Math.log10(peak)
}

const ffmpegTruePeakDb = (pcm: Float32Array): number => {
  const { stderr } = spawnSync(
    bundledFfmpeg,
    [
      "-hide_banner",
      "-f",
      "f32le",
      "-ar",
      "48000",
      "-ac",
      "1",
      "-i",
      "pipe:0",
      "-af",
      "ebur128=peak=true",
      "-f",
      "null",
      "-"
    ],
    { input: new Uint8Array(pcm.buffer), encoding: "utf8" }
  )
  return Number(/True peak:\s+Peak:\s+(\S+)/.exec(stderr)![1])
}

const noise = (amplitude: number, seed: number) => {
  let state = seed
  return () => (amplitude * (state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0)) / 2 ** 31
}

const tone =
  (hz: number, amplitude: number, phase = 0) =>
  (at: number) =>
    amplitude * Math.sin((2 * Math.PI * hz * at) / rate + phase)

describe("Limiter", () => {
  it.each([
    [60, 1.6, 0],
    [997, 1.4, 0],
    [11_025, 1.2, 0.7],
    [12_000, 0.99, Math.PI / 4],
    [16_000, 1, 0.5],
    [18_000, 1, 0.3],
    [20_000, 1, 0.2]
  ])("holds a tone of %i Hz at %f under −1 dBTP, from its first sample on", (hz, amplitude, phase) => {
    expect(truePeakDb(limited(0.2, tone(hz, amplitude, phase)))).toBeLessThanOrEqual(-1)
  })

  it.each<readonly [string, (at: number) => number]>([
    ["white noise", noise(1, 1)],
    ["quieter noise", noise(0.6, 2)],
    ["a sweep of the whole band", (at) => 1.2 * Math.sin(((Math.PI * 24_000) / 0.4) * (at / rate) ** 2)],
    ["a square wave", (at) => Math.sign(Math.sin((2 * Math.PI * 1_003 * at) / rate + 0.01))],
    ["a high square wave", (at) => Math.sign(Math.sin((2 * Math.PI * 5_507 * at) / rate + 0.01))]
  ])("holds %s under −1 dBTP, for a long sinc and for ffmpeg's meter", (_, value) => {
    const pcm = limited(0.4, value)
    expect(truePeakDb(pcm)).toBeLessThanOrEqual(-1)
    expect(ffmpegTruePeakDb(pcm)).toBeLessThanOrEqual(-1)
    expect(truePeakDb(pcm)).toBeGreaterThan(-2.5)
  })

  it("is down before a burst comes", () => {
    const burst = (at: number) => (at % 4_800 > 2_400 ? 1.5 : 0.05) * tone(12_000, 1, Math.PI / 4)(at)
    expect(truePeakDb(limited(0.4, burst))).toBeLessThanOrEqual(-1)
  })

  it("finds a peak between samples of half its height", () => {
    const sign = (at: number) => Math.sign(Math.sin(Math.PI * (at - 4_000.5)) / (at - 4_000.5))
    const raw = (at: number) => (Math.abs(at - 4_000) < 6 ? 0.55 * sign(at) : 0)
    const before = Float32Array.from({ length: 9_600 }, (_, at) => raw(at))
    expect(truePeakDb(before)).toBeGreaterThan(0)
    expect(truePeakDb(limited(0.2, raw))).toBeLessThan(truePeakDb(before) - 1)
  })

  it("leaves quiet sound unchanged, bit for bit", () => {
    const quiet = (at: number) => tone(440, 0.5)(at) + tone(3_000, 0.2)(at)
    expect(limited(0.5, quiet)).toEqual(
      Float32Array.from({ length: Math.round((0.5 * rate) / cellFrames - limiterCells) * cellFrames }, (_, at) =>
        quiet(at)
      )
    )
  })

  it("changes its gain in inaudible steps", () => {
    const pcm = limited(1, (at) => (at % 24_000 < 600 ? 1.8 : 0.4))
    let step = 0
    for (let at = 1; at < pcm.length; at++)
      if (at % 24_000 > 601) step = Math.max(step, Math.abs(pcm[at]! - pcm[at - 1]!))
    expect(step).toBeLessThan(0.005)
  })
})

describe("TruePeak", () => {
  it("skips only stretches that can't be louder: the shortcut changes no result above the floor", () => {
    const value = fc.float({ min: -1, max: 1, noNaN: true })
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 64, maxLength: 64 }),
        fc.float({ min: Math.fround(0.1), max: Math.fround(1.5), noNaN: true }),
        (values, floor) => {
          const everywhere = new TruePeak(16, 0)
          const sparing = new TruePeak(16, floor)
          for (let from = 0; from < 64; from += 16) {
            const cell = Float32Array.from({ length: 32 }, (_, at) => values[from + (at >> 1)]!)
            const exact = everywhere.push(cell, 0)
            const found = sparing.push(cell, 0)
            // Points that are skipped may lack the rounding of a peak between samples.
            if (exact > floor) expect(found).toBeGreaterThan(exact * 0.985)
            else expect(found).toBeLessThanOrEqual(floor)
          }
        }
      )
    )
  })
})
