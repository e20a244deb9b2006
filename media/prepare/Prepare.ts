import { Effect, Layer, Semaphore } from "effect"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { mediaJobsMax } from "../../engine/rules/sound/limits.ts"
import { sampleRateHz } from "../../schema/time/Samples.ts"
import { MediaStoreUnavailable, Prepare, type SoundFile, Unairable } from "../../engine/ports/Prepare.ts"
import type { RawSound } from "../../engine/ports/Speech.ts"
import { Ffmpeg } from "../ffmpeg/Ffmpeg.ts"
import { keep } from "./StoredAsset.ts"
import { master } from "./Mastering.ts"
import { disk, type MediaPaths, mediaPaths, mediaPathsOf, workFolder } from "../storage/MediaStore.ts"
import { examine, objectionOf, objectionTo } from "./Quality.ts"
import { lookAtFile } from "./SoundFile.ts"
import { makeStaging } from "./StagedSounds.ts"
import { markFiles } from "./Tags.ts"

/** Lets other work of this thread run between two blocks. */
const lookAt = Effect.fnUntraced(function* (raw: RawSound | SoundFile) {
  if (!("channels" in raw)) return yield* lookAtFile(raw)
  const look = examine(raw)
  for (;;) {
    const step = look.next()
    if (step.done === true) return step.value
    yield* Effect.yieldNow
  }
})

const prepareIn = Effect.fnUntraced(function* (paths: MediaPaths, stagedMaxBytes?: number) {
  const ffmpeg = yield* Ffmpeg
  const staging = yield* makeStaging(paths, stagedMaxBytes)
  const atOnce = yield* Semaphore.make(mediaJobsMax)
  // Leftovers of a crash; a read-only disk is reported to the next writer.
  yield* Effect.ignore(disk(() => rm(paths.work, { recursive: true, force: true })))

  const prepare = Effect.fnUntraced(
    function* ({ id, kind, raw, role, introEndMs, segueMs, synthetic }: Parameters<Prepare["Service"]["prepare"]>[0]) {
      const found = yield* lookAt(raw)
      const objection = "channels" in raw ? objectionTo(kind, raw, found) : objectionOf(kind, found)
      if (objection !== null) return yield* objection

      const folder = yield* workFolder(paths)
      const pcm = join(folder, "sound.pcm")
      const loudness = yield* master({
        raw,
        kind,
        role,
        peak: found.peak,
        lengthSec: found.lengthSec,
        interleaved: join(folder, "raw.f32"),
        shaped: join(folder, "shaped.f32"),
        pcm
      })
      const asset = yield* keep({
        id,
        kind,
        pcm,
        folder,
        paths,
        loudness,
        expectedSamples: Math.round(found.lengthSec * sampleRateHz),
        introEndMs,
        segueMs,
        words: raw.words,
        synthetic
      })
      if ("channels" in raw) raw.release?.()
      return asset
    },
    (effect) =>
      effect.pipe(
        Effect.scoped,
        Effect.catchTags({
          DiskFault: ({ code, detail }) => Effect.fail(new MediaStoreUnavailable({ detail: `${code}: ${detail}` })),
          MediaJobFailed: ({ reason, detail }) =>
            Effect.fail(
              reason === "failed"
                ? new Unairable({ code: "undecodable", detail })
                : new MediaStoreUnavailable({ detail })
            )
        }),
        atOnce.withPermit,
        Effect.provideService(Ffmpeg, ffmpeg)
      )
  )

  return Prepare.of({
    prepare,
    mark: (asset) =>
      markFiles(paths, asset).pipe(
        Effect.catchTags({
          DiskFault: ({ code, detail }) => Effect.fail(new MediaStoreUnavailable({ detail: `${code}: ${detail}` })),
          MediaJobFailed: ({ detail }) => Effect.fail(new MediaStoreUnavailable({ detail }))
        }),
        atOnce.withPermit,
        Effect.provideService(Ffmpeg, ffmpeg)
      ),
    stage: (asset) => staging.stage(asset).pipe(Effect.provideService(Ffmpeg, ffmpeg)),
    stagedAs: staging.sound,
    listeningCopyOf: paths.copyOf,
    discard: (id) =>
      Effect.mapError(
        disk(async () => {
          for (const path of [paths.masterOf(id), paths.copyOf(id), paths.stagedOf(id)]) await rm(path, { force: true })
        }),
        ({ code, detail }) => new MediaStoreUnavailable({ detail: `${code}: ${detail}` })
      ),
    purgeStaged: staging.purge
  })
})

/**
 * Masters and copies in `media/`, PCM for the mixer in `staged/`, both under `dataDir`. `stagedMaxBytes` bounds the PCM kept on disk, not the media
 * store.
 */
export const makePrepare = (dataDir: string, stagedMaxBytes?: number) => prepareIn(mediaPaths(dataDir), stagedMaxBytes)

export const PrepareLive: Layer.Layer<Prepare, never, Ffmpeg | StationConfig> = Layer.effect(
  Prepare,
  Effect.flatMap(StationConfig, (config) => prepareIn(mediaPathsOf(config)))
)
