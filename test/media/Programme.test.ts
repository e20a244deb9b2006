import { expect, it } from "vitest"
import { aacFrameSamples, partFrames, segmentFrames } from "../../engine/Limits.ts"
import { initSegment, join } from "../../media/Fmp4.ts"
import type { Part } from "../../media/PartPacker.ts"
import { renderProgramme } from "../../media/Programme.ts"
import { systemTime } from "../../media/StationClock.ts"
import { bundledFfmpeg, decode, fidelity, sweep } from "../support/Sound.ts"

const startSample = 6_834_083 * segmentFrames * aacFrameSamples
const seconds = 60

const source = () => {
  let at = startSample
  return {
    get renderedTo() {
      return at
    },
    render: (out: Float32Array, frames: number) => {
      out.set(sweep(at, at + frames))
      at += frames
      return []
    },
    plan: () => ({ revision: 0, shiftSamples: 0, renderedTo: at }),
    emergency: () => {},
    emergencyLibrary: () => {}
  }
}

it("puts a minute through the whole chain faster than it is heard, and every sample comes out where it belongs", { timeout: 30_000 }, async () => {
  const parts: Array<Part> = []
  const mp3: Array<Uint8Array> = []
  const ask = { source: source(), ffmpeg: bundledFfmpeg, startSample, samples: seconds * 48_000, sinks: {
    onPart: (part: Part) => parts.push(part),
    onMp3: (_: number, frames: ReadonlyArray<Uint8Array>) => mp3.push(...frames)
  } }
  const startedMs = systemTime.monoMs()
  const first = await renderProgramme(ask)
  const tookMs = systemTime.monoMs() - startedMs
  expect(seconds * 1000 / tookMs).toBeGreaterThan(4)
  expect(first.pcmSha256).toBe((await renderProgramme({ ...ask, source: source(), sinks: {} })).pcmSha256)

  const high = parts.filter((part) => part.variant === "aac128")
  const low = parts.filter((part) => part.variant === "aac64")
  expect(high.map((part) => [part.msn, part.part])).toEqual(low.slice(0, high.length).map((part) => [part.msn, part.part]))
  expect(high.length).toBe(Math.floor(seconds * 48_000 / aacFrameSamples / partFrames))
  const wanted = sweep(startSample, startSample + seconds * 48_000)
  // Newer encoders code the side of a 64 k stereo signal by its energy: below 10 dB, but never below 0 unless it is moved.
  for (const [variant, floor] of [[high, 20], [low, 4]] as const) {
    const quality = fidelity(wanted, decode("mp4", join([initSegment(128), ...variant.map((part) => part.bytes)])), 0).slice(2)
    expect(Math.min(...quality)).toBeGreaterThan(floor)
  }
  const start = Math.ceil(startSample / 1_152) * 1_152
  expect(Math.min(...fidelity(sweep(start, start + 50 * 48_000), decode("mp3", Buffer.concat(mp3)), 1_105).slice(2))).toBeGreaterThan(20)
})
