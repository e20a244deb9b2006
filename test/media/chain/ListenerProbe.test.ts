import { afterEach, describe, expect, it } from "vitest"
import { execFileSync } from "node:child_process"
import { encoderArguments, renditions } from "../../../media/encode/Rendition.ts"
import { adtsSplitter } from "../../../media/encode/Adts.ts"
import { initSegment } from "../../../media/encode/Fmp4.ts"
import { ListenerEar } from "../../../media/chain/ListenerEar.ts"
import { type Part, PartPacker, silentFrame } from "../../../media/encode/PartPacker.ts"
import { ListenerProbe } from "../../../media/chain/ListenerProbe.ts"
import { bundledFfmpeg, sweep } from "../../support/media/Sound.ts"

const tone = (seconds: number, amplitude: number) => {
  const pcm = new Float32Array(seconds * 96_000)
  for (let i = 0; i < pcm.length / 2; i++)
    pcm[2 * i] = pcm[2 * i + 1] = amplitude * Math.sin((2 * Math.PI * 997 * i) / 48_000)
  return pcm
}

const encode = (id: "aac128" | "mp3", pcm: Float32Array<ArrayBuffer>) =>
  execFileSync(bundledFfmpeg, [...encoderArguments(renditions[id])], {
    input: new Uint8Array(pcm.buffer),
    maxBuffer: 2 ** 26
  })

const partsOf = (frames: ReadonlyArray<Uint8Array>, firstFrame: number) => {
  const parts: Array<Part> = []
  new PartPacker("aac128", firstFrame, (part) => parts.push(part)).feed(firstFrame, frames)
  return parts
}

let probe: ListenerProbe
afterEach(() => probe?.close())

const until = async (condition: () => boolean) => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5))
}

const started = (kind: "music" | "station_id", lengthSec: number | null) => ({
  _tag: "Started" as const,
  itemId: "itm_01jd0000000000000000000000",
  label: { title: "t", artist: null, kind, synthetic: null },
  atSample: 0,
  endSample: lengthSec === null ? null : lengthSec * 48_000
})

describe("Probe", () => {
  it("measures loudness as EBU R 128 does", () => {
    const ear = new ListenerEar()
    // EBU Tech 3341, case 1: a stereo sine of −23 dBFS is −23 LUFS.
    ear.push(tone(4, 10 ** (-23 / 20)))
    expect(ear.loudnessLufs).toBeCloseTo(-23, 1)
    expect(ear.silentSec).toBe(0)
  })

  it("counts silence from the last sound", () => {
    const ear = new ListenerEar()
    ear.push(tone(1, 0.1))
    ear.push(tone(2, 0.002))
    expect(ear.silentSec).toBe(2)
    ear.push(tone(1, 0.1))
    expect(ear.silentSec).toBe(0)
  })

  it("decodes the listeners' outputs, and alerts after two seconds of silence in either", async () => {
    probe = new ListenerProbe({ ffmpeg: bundledFfmpeg, init: initSegment(128), nowMs: 0 })
    const sound = sweep(0, 48_000 * 4)
    const parts = partsOf(adtsSplitter().push(encode("aac128", sound)), 192 * 1_000)
    for (const part of parts) probe.part(part.bytes, 0)
    probe.mp3(encode("mp3", sound))
    await until(() => probe.look(0).loudnessLufs !== null)
    expect(probe.look(0)).toMatchObject({ silent: false, alarm: null })
    for (const part of partsOf(
      Array.from({ length: 16 * 8 }, () => silentFrame),
      (parts.at(-1)!.msn * 12 + parts.at(-1)!.part + 1) * 16
    ))
      probe.part(part.bytes, 0)
    await until(() => probe.look(0).silent)
    expect(probe.look(0).alarm).toBe("the listener probe hears silence")
  })

  it("treats a missing output as silence", () => {
    probe = new ListenerProbe({ ffmpeg: bundledFfmpeg, init: initSegment(128), nowMs: 0 })
    expect(probe.look(1_999).silent).toBe(false)
    expect(probe.look(2_000).silent).toBe(true)
  })

  it("alerts after ten minutes without a new item, also for a loop of idents", () => {
    probe = new ListenerProbe({ ffmpeg: bundledFfmpeg, init: initSegment(128), nowMs: 0 })
    probe.onStarted(started("music", 180), 0)
    for (let ms = 0; ms < 600_000; ms += 20_000) probe.onStarted(started("station_id", 5), ms)
    expect(probe.look(599_999).alarm).toBeNull()
    expect(probe.look(600_000).alarm).toBe("the listener probe hears nothing new")
    probe.resetCount(600_000)
    expect(probe.look(600_200).alarm).toBeNull()
  })

  it("accepts an item of its announced length", () => {
    probe = new ListenerProbe({ ffmpeg: bundledFfmpeg, init: initSegment(128), nowMs: 0 })
    probe.onStarted(started("music", 840), 0)
    expect(probe.look(839_000).alarm).toBeNull()
    expect(probe.look(841_000).alarm).not.toBeNull()
  })
})
