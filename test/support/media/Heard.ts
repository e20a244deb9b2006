import { expect } from "vitest"
import { decodeMono } from "../../../bench/instruments/ears/Decode.ts"
import { recordHls } from "../../../bench/instruments/ears/Recorder.ts"
import { aacFrameSamples, segmentFrames } from "../../../engine/rules/air/limits.ts"
import { findLongestSilenceSec, playlist, askUntil } from "../station/WholeStation.ts"

/** Records during a fault of a station, until the next segment after it; nothing may be missing from the sound. */
export const checkHeardThroughout = async (
  base: string,
  harm: () => Promise<void>,
  silenceMaxSec = 0.25
): Promise<Float32Array> => {
  const stop = new AbortController()
  const recorded = recordHls(base, "aac128", stop.signal)
  try {
    await harm()
    const { next } = await playlist(base)
    await askUntil(async () => ((await playlist(base)).next > next ? true : undefined))
  } finally {
    stop.abort()
  }
  const hls = await recorded
  const pcm = await decodeMono(hls.bytes)
  expect((await playlist(base)).text).not.toContain("#EXT-X-DISCONTINUITY\n")
  expect(Math.abs(pcm.length - hls.segments * segmentFrames * aacFrameSamples)).toBeLessThanOrEqual(2 * aacFrameSamples)
  expect(findLongestSilenceSec(pcm)).toBeLessThan(silenceMaxSec)
  return pcm
}
