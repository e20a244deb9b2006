import { describe, expect, it } from "vitest"
import { Meter } from "../../../media/chain/Meter.ts"
import type { MeterReading } from "../../../schema/air/Meters.ts"

const rate = 48_000

/** A sine in both channels; `gain` is its amplitude. */
const sine = (seconds: number, hertz: number, gain: number): Float32Array =>
  Float32Array.from({ length: seconds * rate * 2 }, (_, i) => gain * Math.sin((2 * Math.PI * hertz * (i >> 1)) / rate))

const readings = (...sounds: ReadonlyArray<Float32Array>) => {
  const told: Array<MeterReading> = []
  const meter = new Meter(0, (reading) => told.push(reading))
  return { meter, told, push: () => sounds.forEach((sound) => meter.push(sound)) }
}

describe("the meters of the programme", () => {
  it("read what the standards define for a tone", () => {
    // EBU Tech 3341, case 1: 1 kHz at −23 dBFS in both channels reads −23 LUFS.
    const { push, told } = readings(sine(20, 1_000, 10 ** (-23 / 20)))
    push()
    const last = told.at(-1)!
    expect(told).toHaveLength(200)
    expect(last.atSample).toBe(20 * rate)
    for (const value of [last.momentaryLufs, last.shortTermLufs, last.integratedLufs])
      expect(Math.abs(value! + 23)).toBeLessThanOrEqual(0.1)
    expect(last.vuDb[0]).toBeCloseTo(-26, 0)
    expect(last.integratedSec).toBe(20)
  })

  it("gate silence out of the integrated loudness, and begin anew with an item", () => {
    // Case 3: −36, −23, −36 dBFS read −23 LUFS.
    const { meter, push, told } = readings(
      sine(10, 1_000, 10 ** (-36 / 20)),
      sine(60, 1_000, 10 ** (-23 / 20)),
      sine(10, 1_000, 10 ** (-36 / 20))
    )
    push()
    expect(Math.abs(told.at(-1)!.integratedLufs! + 23)).toBeLessThanOrEqual(0.1)
    meter.begin()
    meter.push(sine(5, 1_000, 10 ** (-30 / 20)))
    expect(Math.abs(told.at(-1)!.integratedLufs! + 30)).toBeLessThanOrEqual(0.3)
    expect(told.at(-1)!.integratedSec).toBe(5)
  })

  it("see peaks between the samples, and call silence silence", () => {
    // A quarter of the sample rate, 45° off: the samples reach 0.707, the signal 1.
    const between = Float32Array.from({ length: rate * 2 }, (_, i) => Math.sin((Math.PI / 2) * (i >> 1) + Math.PI / 4))
    const { meter, push, told } = readings(between)
    push()
    expect(Math.abs(told.at(-1)!.truePeakDbtp[0]!)).toBeLessThanOrEqual(0.3)
    meter.begin()
    meter.push(new Float32Array(16 * rate))
    expect(told.at(-1)).toMatchObject({
      momentaryLufs: null,
      shortTermLufs: null,
      truePeakDbtp: [null, null],
      vuDb: [null, null]
    })
  })

  it("don't depend on how the sound is cut into pieces", () => {
    const whole = sine(2, 440, 0.3)
    const one = readings(whole)
    one.push()
    const other = readings(...Array.from({ length: 100 }, (_, n) => whole.subarray(n * 1_920, (n + 1) * 1_920)))
    other.push()
    expect(other.told).toEqual(one.told)
  })
})
