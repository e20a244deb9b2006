import { createHash } from "node:crypto"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { aacFrameSamples, partFrames, segmentFrames } from "../../../engine/rules/air/limits.ts"
import { initSegment, join as joinBytes } from "../../../media/encode/Fmp4.ts"
import { Mixer } from "../../../media/mixer/Mixer.ts"
import { OfflineReader } from "../../../media/mixer/OfflineReader.ts"
import type { Part } from "../../../media/encode/PartPacker.ts"
import { renderProgramme } from "../../../media/chain/RenderedProgramme.ts"
import { type SoundReader, StagedReader } from "../../../media/mixer/StagedReader.ts"
import type { AirEvent, StagedSound } from "../../../schema/air/Air.ts"
import { item, makeSounds, plan } from "../../support/media/MixerWorld.ts"
import { bundledFfmpeg, decode, fidelity, sweep } from "../../support/media/Sound.ts"

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
    live: () => [],
    emergency: () => {},
    emergencyLibrary: () => {}
  }
}

it(
  "sends a minute through the whole chain, and every sample arrives at its position",
  { timeout: 300_000 },
  async () => {
    const parts: Array<Part> = []
    const mp3: Array<Uint8Array> = []
    const ask = {
      source: source(),
      ffmpeg: bundledFfmpeg,
      startSample,
      samples: seconds * 48_000,
      sinks: {
        onPart: (part: Part) => parts.push(part),
        onMp3: (_: number, frames: ReadonlyArray<Uint8Array>) => mp3.push(...frames)
      }
    }
    const first = await renderProgramme(ask)
    expect(first.pcmSha256).toBe((await renderProgramme({ ...ask, source: source(), sinks: {} })).pcmSha256)

    const high = parts.filter((part) => part.variant === "aac128")
    const low = parts.filter((part) => part.variant === "aac64")
    expect(high.map((part) => [part.msn, part.part])).toEqual(
      low.slice(0, high.length).map((part) => [part.msn, part.part])
    )
    expect(high.length).toBe(Math.floor((seconds * 48_000) / aacFrameSamples / partFrames))
    const wanted = sweep(startSample, startSample + seconds * 48_000)
    // Newer encoders code the side channel of a 64 kbit/s stereo signal by its energy: below 10 dB, but never below 0 unless it
    // is shifted.
    for (const [variant, floor] of [
      [high, 20],
      [low, 4]
    ] as const) {
      const quality = fidelity(
        wanted,
        decode("mp4", joinBytes([initSegment(128), ...variant.map((part) => part.bytes)])),
        0
      ).slice(2)
      expect(Math.min(...quality)).toBeGreaterThan(floor)
    }
    const start = Math.ceil(startSample / 1_152) * 1_152
    expect(
      Math.min(...fidelity(sweep(start, start + 50 * 48_000), decode("mp3", Buffer.concat(mp3)), 1_105).slice(2))
    ).toBeGreaterThan(20)
  }
)

it(
  "renders the same programme from the same plan and files, bit for bit, in any blocks",
  { timeout: 300_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "longwave-programme-"))
    try {
      const { files, sound } = makeSounds()
      const stored = async (of: StagedSound) => {
        const path = `${folder}/${of.assetId}`
        await writeFile(path, new Uint8Array(files.get(of.path)!.buffer))
        return { ...of, path } as StagedSound
      }
      const songs = await Promise.all([sound(1, 5, { segueSec: 3 }), sound(2, 4)].map(stored))
      const voice = await stored(sound(3, 3, { speech: true }))
      const bed = await stored(sound(4, 1.3))
      const items = [
        item(1, startSample + 4_321, songs[0]!),
        item(2, startSample + 150_000, songs[1]!),
        item(3, startSample + 300_000, voice, { speech: true, bed })
      ]
      const programme = (read: SoundReader) => {
        const mixer = new Mixer({ startSample, read, stationName: "Longwave" })
        mixer.plan(plan(1, items))
        return mixer
      }
      const spans: Array<string> = []
      const ask = {
        ffmpeg: bundledFfmpeg,
        startSample,
        samples: 10 * 48_000,
        sinks: {
          onEvent: (event: AirEvent) => {
            if (event._tag === "Spanned") spans.push(event.span.pcmSha256)
          }
        }
      }
      const first = await renderProgramme({ ...ask, source: programme(new OfflineReader()) })
      const second = await renderProgramme({ ...ask, source: programme(new OfflineReader()) })
      expect(second.pcmSha256).toBe(first.pcmSha256)
      expect(spans).toHaveLength(8)
      expect(spans.slice(4)).toEqual(spans.slice(0, 4))

      // The read-ahead of the air chain gives the same sound.
      const reader = new StagedReader()
      await reader.awaitReady(
        [...songs, voice, bed].flatMap((of) => [0, 1, 2, 3, 4].map((sec) => ({ sound: of, from: sec * 48_000 }))),
        300_000
      )
      const live = programme(reader)
      const hash = createHash("sha256")
      for (let done = 0; done < ask.samples; done += 1_000) {
        const block = new Float32Array(2_000)
        live.render(block, 1_000)
        hash.update(new Uint8Array(block.buffer))
      }
      expect(hash.digest("hex")).toBe(first.pcmSha256)
    } finally {
      await rm(folder, { recursive: true })
    }
  }
)
