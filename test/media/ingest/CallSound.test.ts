import { it } from "@effect/vitest"
import { NodeServices } from "@effect/platform-node"
import { Effect, Layer, Result } from "effect"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect } from "vitest"
import { speechLufs } from "../../../engine/rules/sound/limits.ts"
import { StationConfig } from "../../../engine/runtime/Config.ts"
import { callKeyOf, CallSound } from "../../../engine/ports/CallSound.ts"
import { ObjectStore } from "../../../engine/ports/ObjectStore.ts"
import { makeId, type AssetId, type InteractionId } from "../../../schema/Ids.ts"
import { callInsAtOnce, callInsWaitingMax } from "../../../engine/rules/listeners/limits.ts"
import { CallSoundLive } from "../../../media/ingest/CallSound.ts"
import { ffmpegLayer } from "../../../media/ffmpeg/Ffmpeg.ts"
import { mediaPaths } from "../../../media/storage/MediaStore.ts"
import { ObjectsLive } from "../../../media/storage/Objects.ts"
import { PrepareLive } from "../../../media/prepare/Prepare.ts"
import { makeRecording } from "../../support/listeners/Messages.ts"

const dataDir = mkdtempSync(join(tmpdir(), "longwave-calls-"))
afterAll(() => rmSync(dataDir, { recursive: true }))

const enterWorld = (env: Record<string, string>) =>
  CallSoundLive.pipe(
    Layer.provideMerge(Layer.mergeAll(ObjectsLive, PrepareLive)),
    Layer.provideMerge(ffmpegLayer(null)),
    Layer.provideMerge(StationConfig.fromEnvironment({ DATA_DIR: dataDir, ...env })),
    Layer.provide(NodeServices.layer)
  )
const World = enterWorld({})
const oneOfSeveral = {
  CLUSTER_HOST: "127.0.0.1",
  CLUSTER_SECRET: "a secret of the processes of a station",
  DATABASE_URL: "postgres://127.0.0.1/none"
}
const id = makeId("int", 1_780_000_000_000, new Uint8Array(10)) as InteractionId
const assetId = `mas_${id.slice(4)}` as AssetId

describe("a call's sound", () => {
  it.live(
    "is mastered like other speech from the station's own copy, the same each time, and leaves no temporary files",
    () =>
      Effect.gen(function* () {
        const sound = yield* CallSound
        const objects = yield* ObjectStore
        const paths = mediaPaths(dataDir)
        yield* objects.put(
          "calls/incoming/one",
          { bytes: (yield* makeRecording("webm", 4, ["-af", "volume=-20dB"])).bytes },
          "audio/webm"
        )
        expect(
          Math.abs(
            (yield* sound.take({ id, uploadKey: "calls/incoming/one", contentType: "audio/webm;codecs=opus" })) - 4
          )
        ).toBeLessThan(0.1)
        const made = yield* sound.master(id, assetId)
        expect([
          made.id,
          made.kind,
          Math.abs(made.loudness.integratedLufs - speechLufs) <= 0.5,
          made.loudness.truePeakDbtp <= -1,
          made.words
        ]).toEqual([assetId, "speech", true, true, []])
        expect((yield* sound.master(id, assetId)).pcmSha256).toBe(made.pcmSha256)
        expect([
          existsSync(paths.masterOf(assetId)),
          existsSync(paths.copyOf(assetId)),
          readdirSync(join(paths.media, ".calls"))
        ]).toEqual([true, true, []])
        yield* sound.discard(id, assetId)
        expect([
          existsSync(paths.masterOf(assetId)),
          existsSync(paths.copyOf(assetId)),
          yield* objects.size(callKeyOf(id))
        ]).toEqual([false, false, null])
        expect(yield* Effect.flip(sound.master(id, assetId))).toMatchObject({ _tag: "Unairable", code: "undecodable" })
      }).pipe(Effect.provide(World)),
    300_000
  )

  it.live("is checked for as many callers as may wait, and no more", () =>
    Effect.gen(function* () {
      const sound = yield* CallSound
      const uploadKey = "calls/incoming/many"
      yield* (yield* ObjectStore).put(uploadKey, { bytes: (yield* makeRecording("wav", 2)).bytes }, "audio/wav")
      const all = yield* Effect.forEach(
        Array.from({ length: callInsAtOnce + callInsWaitingMax + 1 }),
        () => Effect.result(sound.take({ id, uploadKey, contentType: "audio/wav" })),
        { concurrency: "unbounded" }
      )
      expect(all.filter(Result.isFailure).map(({ failure }) => failure._tag)).toEqual(["TooManyCalls"])
      expect(yield* sound.take({ id, uploadKey, contentType: "audio/wav" })).toBeCloseTo(2, 1)
    }).pipe(Effect.provide(World))
  )

  it.live("is deleted at the start if a crash left it unreviewed, but not while another process may examine it", () =>
    Effect.gen(function* () {
      const incoming = join(dataDir, "media", "calls", "incoming")
      mkdirSync(incoming, { recursive: true })
      writeFileSync(join(incoming, "upl_left"), "a voice")
      yield* Effect.provide(CallSound, enterWorld(oneOfSeveral))
      expect(existsSync(join(incoming, "upl_left"))).toBe(true)
      yield* Effect.provide(CallSound, World)
      expect(existsSync(incoming)).toBe(false)
    })
  )

  it.live(
    "is refused if it is silent",
    () =>
      Effect.gen(function* () {
        const sound = yield* CallSound
        yield* (yield* ObjectStore).put(
          "calls/incoming/two",
          { bytes: (yield* makeRecording("wav", 2, ["-af", "volume=0"])).bytes },
          "audio/wav"
        )
        yield* sound.take({ id, uploadKey: "calls/incoming/two", contentType: null })
        expect(yield* Effect.flip(sound.master(id, assetId))).toMatchObject({ _tag: "Unairable", code: "silent" })
      }).pipe(Effect.provide(World)),
    300_000
  )
})
