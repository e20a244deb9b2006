import { expect, it } from "vitest"
import { compareMp3 } from "../../bench/instruments/ears/Mp3AndParts.ts"

const second = 48_000
/** A tone that changes at every moment. */
const broadcast = (() => {
  let phase = 0
  return Float32Array.from({ length: 20 * second }, (_, at) => {
    phase += (2 * Math.PI * (150 + ((Math.floor(at / 2_400) * 7_919) % 500))) / second
    return 0.3 * Math.sin(phase)
  })
})()
const parts = [{ firstSample: 1_000_000, pcm: broadcast }]
const joined = (...pieces: ReadonlyArray<Float32Array>) => Float32Array.from(pieces.flatMap((piece) => [...piece]))

it("tells how much sound an MP3 player misses, or hears twice, or hears instead", () => {
  const whole = compareMp3(broadcast.slice(2 * second + 77, 18 * second), parts)
  expect(whole).toMatchObject({ missingSamples: 0, doubledSamples: 0, unlikeSamples: 0 })
  expect(whole.comparedSamples).toBeGreaterThan(14 * second)

  const gapped = joined(broadcast.slice(2 * second, 8 * second + 11), broadcast.slice(9 * second, 18 * second))
  expect(compareMp3(gapped, parts)).toMatchObject({
    missingSamples: second - 11,
    doubledSamples: 0,
    unlikeSamples: 0
  })

  const twice = joined(broadcast.slice(2 * second, 8 * second), broadcast.slice(8 * second - 1_152, 18 * second))
  expect(compareMp3(twice, parts)).toMatchObject({ missingSamples: 0, doubledSamples: 1_152, unlikeSamples: 0 })

  const silent = broadcast.slice(2 * second, 18 * second).fill(0, 6 * second, 7 * second)
  const { missingSamples, unlikeSamples } = compareMp3(silent, parts)
  expect(missingSamples).toBe(0)
  expect(Math.round(unlikeSamples / second)).toBe(1)
})
