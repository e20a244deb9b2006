import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { StationConfig } from "../../engine/Config.ts"
import { ObjectStore } from "../../engine/ports/ObjectStore.ts"
import { incomingKeyOf, sampleKeyOf, UploadSound } from "../../engine/ports/UploadSound.ts"
import { Ffmpeg, ffmpegLayer } from "../../media/Ffmpeg.ts"
import { mediaPaths } from "../../media/MediaStore.ts"
import { ObjectsLive } from "../../media/Objects.ts"
import { PrepareLive } from "../../media/Prepare.ts"
import { UploadSoundLive } from "../../media/UploadSound.ts"
import type { UploadId } from "../../schema/Ids.ts"
import type { Qc, UploadPurpose } from "../../schema/MediaUpload.ts"
import { assetId } from "../support/Media.ts"
import { TestConfig } from "../support/OnboardingWorld.ts"

const World = UploadSoundLive.pipe(Layer.provideMerge(Layer.mergeAll(ObjectsLive, PrepareLive)), Layer.provideMerge(Layer.mergeAll(ffmpegLayer(null), TestConfig())))

let count = 0
/** What ffmpeg makes of this, as a file. */
const made = Effect.fnUntraced(function*(format: string, args: ReadonlyArray<string>) {
  const { ffmpeg } = yield* Ffmpeg
  const { dataDir } = yield* StationConfig
  const path = join(dataDir, `made${++count}.${format}`)
  yield* Effect.promise(() => promisify(execFile)(ffmpeg, ["-v", "error", "-y", ...args, path]))
  return readFileSync(path)
})

/** Something like a voice: a buzz that goes up and down, in words. */
const buzz = (seconds: number, rate = 44_100, level = 0.3, more = "") =>
  ["-f", "lavfi", "-i", `aevalsrc='${level}*(sin(2*PI*180*t+8*sin(3*t))+0.6*sin(2*PI*700*t+30*sin(2.1*t))+0.3*sin(2*PI*1500*t+20*sin(5*t)))*(0.3+0.7*abs(sin(4*t)))${more}':s=${rate}`, "-t", String(seconds)]
const wav = (seconds: number, ...more: ReadonlyArray<string>) => made("wav", [...buzz(seconds), ...more])

/** What becomes of a recording that somebody announces as this. */
const sent = Effect.fnUntraced(function*(bytes: Uint8Array, contentType: string, purpose: UploadPurpose = "speech", alike: ReadonlyArray<Uint8Array> = []) {
  const id = `upl_${++count}` as UploadId
  yield* (yield* ObjectStore).put(incomingKeyOf(id), { bytes }, contentType)
  const upload = { id, purpose, contentType, byteSize: bytes.length, assetId: assetId(), alike: () => Effect.succeed(alike) }
  const examined = yield* (yield* UploadSound).examine(upload)
  expect(examined.qc.checks.map(({ code }) => code).sort()).toEqual(["bitrate", "channels", "clipping", "container", "copy", "dc_offset", "decodes", "duration", "inner_silence", "loudness", "sample_rate"])
  expect([examined.qc.passed, examined.asset !== null]).toEqual([examined.qc.checks.every(({ passed }) => passed), examined.qc.passed && purpose !== "sample"])
  for (const { detail } of examined.qc.checks) expect(detail).not.toMatch(/\/tmp|longwave-|null|NaN|undefined/)
  return { ...examined, upload }
})

/** Which checks it failed. */
const failed = ({ checks }: Qc) => checks.filter(({ passed }) => !passed).map(({ code }) => code)
const unheard = ["decodes", "duration", "sample_rate", "channels", "bitrate", "loudness", "clipping", "inner_silence", "dc_offset", "copy"]

layer(World, { excludeTestServices: true })("recordings of agents", (it) => {
  it.effect("are mastered where they pass, the same each time, and leave nothing behind when they go", () => Effect.gen(function*() {
    const sound = yield* UploadSound
    const objects = yield* ObjectStore
    const paths = mediaPaths((yield* StationConfig).dataDir)
    const bytes = yield* wav(4, "-ac", "1")
    const { asset, durationSec, qc, upload } = yield* sent(bytes, "audio/wav")
    expect(failed(qc)).toEqual([])
    expect([qc.sampleRateHz, qc.channels, durationSec, qc.silenceSec! < 0.1, qc.clippedPct]).toEqual([44_100, 1, 4, true, 0])
    expect([asset!.kind, Math.abs(asset!.loudness.integratedLufs + 16) <= 0.5, asset!.loudness.truePeakDbtp <= -1]).toEqual(["speech", true, true])
    expect((yield* sound.examine(upload)).asset!.pcmSha256).toBe(asset!.pcmSha256)
    expect(yield* sound.sha256(incomingKeyOf(upload.id))).toBe(createHash("sha256").update(bytes).digest("hex"))
    expect([existsSync(paths.masterOf(asset!.id)), existsSync(paths.copyOf(asset!.id)), readdirSync(join(paths.media, ".uploads"))]).toEqual([true, true, []])
    yield* sound.discard(upload.id, asset!.id)
    expect([existsSync(paths.masterOf(asset!.id)), existsSync(paths.copyOf(asset!.id)), yield* objects.size(incomingKeyOf(upload.id)), yield* sound.sha256(incomingKeyOf(upload.id))]).toEqual([false, false, null, null])
    expect(failed((yield* sound.examine(upload)).qc)).toEqual(unheard)
  }))
})
