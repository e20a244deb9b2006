import { it } from "@effect/vitest"
import { NodeServices } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, describe, expect } from "vitest"
import { speechLufs } from "../../../engine/rules/sound/limits.ts"
import { StationConfig } from "../../../engine/runtime/Config.ts"
import { sampleRateHz } from "../../../schema/time/Samples.ts"
import { ReplaySound } from "../../../engine/ports/ReplaySound.ts"
import { Ffmpeg, ffmpegLayer } from "../../../media/ffmpeg/Ffmpeg.ts"
import { mediaPaths } from "../../../media/storage/MediaStore.ts"
import { ObjectsLive } from "../../../media/storage/Objects.ts"
import { PrepareLive } from "../../../media/prepare/Prepare.ts"
import { ReplaySoundLive } from "../../../media/ingest/ReplaySound.ts"
import { markOfSpeech } from "../../../schema/Synthetic.ts"
import { parseTags, probeTags } from "../../support/media/ForeignTags.ts"
import { assetId, measureFile } from "../../support/media/Media.ts"

const dataDir = mkdtempSync(join(tmpdir(), "longwave-replays-"))
afterAll(() => rmSync(dataDir, { recursive: true }))
const paths = mediaPaths(dataDir)

const World = ReplaySoundLive.pipe(
  Layer.provideMerge(Layer.mergeAll(ObjectsLive, PrepareLive)),
  Layer.provideMerge(ffmpegLayer(null)),
  Layer.provideMerge(StationConfig.fromEnvironment({ DATA_DIR: dataDir })),
  Layer.provide(NodeServices.layer)
)
const ffmpeg = (args: ReadonlyArray<string>) =>
  Effect.flatMap(Ffmpeg, (tools) =>
    Effect.promise(() =>
      promisify(execFile)(tools.ffmpeg, ["-v", "error", ...args], { encoding: "buffer", maxBuffer: 1 << 28 })
    )
  )
/** Eight seconds of a quiet hum like a voice. Its pitch shows the position: 200 Hz more every two seconds. */
const master = Effect.gen(function* () {
  const id = assetId()
  mkdirSync(paths.media, { recursive: true })
  yield* ffmpeg([
    "-f",
    "lavfi",
    "-i",
    "aevalsrc=0.05*sin(2*PI*(200+200*floor(t/2))*t)*(1.2+sin(2*PI*3*t)):s=48000:d=8",
    "-ac",
    "2",
    "-c:a",
    "flac",
    paths.masterOf(id)
  ])
  return id
})
const decoded = (path: string) =>
  Effect.map(
    ffmpeg(["-i", path, "-ac", "1", "-ar", String(sampleRateHz), "-f", "f32le", "pipe:1"]),
    ({ stdout }) => new Float32Array(stdout.buffer.slice(stdout.byteOffset, stdout.byteOffset + stdout.byteLength))
  )
const peak = (samples: Float32Array) => samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)
const hzOf = (samples: Float32Array) =>
  (samples.reduce((rises, sample, n) => rises + (n > 0 && samples[n - 1]! < 0 && sample >= 0 ? 1 : 0), 0) *
    sampleRateHz) /
  samples.length

describe("products of recordings", () => {
  it.live(
    "a clip has exactly the requested part, at programme loudness, with fades from and to silence, and is reproducible",
    () =>
      Effect.gen(function* () {
        const sound = yield* ReplaySound
        const [from, to] = [yield* master, assetId()]
        const ask = {
          from,
          to,
          startSec: 1.25,
          durationSec: 6.5,
          synthetic: markOfSpeech({ name: "eSpeak NG", trained: false }, "wren")
        }
        const made = yield* sound.cut(ask)
        expect([
          made.id,
          made.kind,
          made.lengthSamples,
          Math.abs(made.loudness.integratedLufs - speechLufs) <= 0.5,
          made.loudness.truePeakDbtp <= -1
        ]).toEqual([to, "speech", 6.5 * sampleRateHz, true, true])
        expect(Math.abs((yield* measureFile(paths.copyOf(to))).lufs - speechLufs)).toBeLessThan(0.6)
        for (const path of [paths.copyOf(to), paths.masterOf(to)]) {
          expect(yield* Effect.promise(() => Promise.all([probeTags(path), parseTags(path)]))).toEqual([
            ask.synthetic,
            ask.synthetic
          ])
        }
        const samples = yield* decoded(paths.masterOf(to))
        const at = (sec: number, forSec: number) =>
          samples.subarray(Math.round(sec * sampleRateHz), Math.round((sec + forSec) * sampleRateHz))
        expect([0.1, 1, 3, 5].map((sec) => Math.round(hzOf(at(sec, 0.5)) / 20) * 20)).toEqual([200, 400, 600, 800])
        const loud = peak(samples)
        for (const edge of [at(0, 0.002), at(6.498, 0.002)]) expect(peak(edge) / loud).toBeLessThan(0.1)
        for (const inside of [at(0.02, 0.2), at(6.28, 0.2)]) expect(peak(inside) / loud).toBeGreaterThan(0.15)
        expect((yield* sound.cut(ask)).pcmSha256).toBe(made.pcmSha256)
        expect(yield* Effect.flip(sound.cut({ ...ask, startSec: 2 }))).toMatchObject({
          _tag: "Unairable",
          code: "length_mismatch"
        })
      }).pipe(Effect.provide(World)),
    300_000
  )

  it.live(
    "segments are complete, listed last, and reproducible",
    () =>
      Effect.gen(function* () {
        const sound = yield* ReplaySound
        const id = yield* master
        const folder = join(paths.media, "replays", id)
        // The state after a kill: pieces without a list of them.
        mkdirSync(folder, { recursive: true })
        writeFileSync(join(folder, "s00000.ts"), "half a piece")
        yield* sound.pack(id)
        const files = () =>
          readdirSync(folder)
            .sort()
            .map((name) => [name, readFileSync(join(folder, name)).toString("base64")] as const)
        const first = files()
        expect(first.map(([name]) => name)).toEqual(["index.m3u8", "s00000.ts", "s00001.ts"])
        expect(Math.abs((yield* decoded(join(folder, "index.m3u8"))).length / sampleRateHz - 8)).toBeLessThan(0.1)
        yield* sound.pack(id)
        expect(files()).toEqual(first)
        expect(readdirSync(join(paths.media, ".replays"))).toEqual([])
        expect(yield* Effect.flip(sound.pack(assetId()))).toMatchObject({ _tag: "Unairable", code: "undecodable" })
      }).pipe(Effect.provide(World)),
    300_000
  )
})
