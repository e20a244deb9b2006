import { Clock, Effect, Layer, Ref, Schedule } from "effect"
import { join } from "node:path"
import { BadConfig, clusterOf, StationConfig } from "../../engine/runtime/Config.ts"
import { ObjectStore } from "../../engine/ports/ObjectStore.ts"
import {
  abandonedFileDays,
  callUploadHours,
  diskLookSec,
  mediaSweepMin,
  processGoneMin
} from "../../engine/rules/sound/limits.ts"
import { dayMs, hourMs } from "../../schema/time/Units.ts"
import { diskObjects } from "./DiskObjects.ts"
import { mediaDisk } from "./MediaDisk.ts"
import { freeBytesOn } from "./MediaStore.ts"
import { s3Objects } from "./S3Objects.ts"

/** In the configured bucket, else beside the other media in the data folder. */
export const ObjectsLive = Layer.effect(
  ObjectStore,
  Effect.gen(function* () {
    const config = yield* StationConfig
    const {
      dataDir,
      diskFreeMinBytes,
      mediaMaxBytes,
      s3AccessKeyId,
      s3Bucket,
      s3Endpoint,
      s3Region,
      s3SecretAccessKey
    } = config
    const place = clusterOf(config)?.place ?? null
    const media = yield* mediaDisk(join(dataDir, "media"), {
      freeMinBytes: diskFreeMinBytes,
      heldMaxBytes: mediaMaxBytes
    })
    yield* Clock.currentTimeMillis.pipe(
      Effect.tap((nowMs) =>
        place === null ? Effect.void : media.holdPlace(place, nowMs, nowMs - processGoneMin * 60_000)
      ),
      Effect.flatMap((nowMs) => media.sweep(nowMs - abandonedFileDays * dayMs, nowMs - callUploadHours * hourMs)),
      Effect.tap(({ removed }) =>
        removed === 0 ? Effect.void : Effect.logInfo(`media: removed ${removed} abandoned files`)
      ),
      Effect.catchTag("DiskFault", ({ code, detail }) => Effect.logWarning(`media: not swept (${code}): ${detail}`)),
      Effect.repeat(Schedule.spaced(mediaSweepMin * 60_000)),
      Effect.forkScoped
    )
    // Operators see a disk that fills up before it refuses, and are told once when it does.
    yield* Ref.make(false).pipe(
      Effect.flatMap((isShort) =>
        freeBytesOn(dataDir).pipe(
          Effect.flatMap((bytes) =>
            Effect.flatMap(Ref.getAndSet(isShort, bytes < diskFreeMinBytes), (was) =>
              was || bytes >= diskFreeMinBytes
                ? Effect.void
                : Effect.logError(
                    `alert: disk: ${Math.floor(bytes / 1_048_576)} MiB are free, less than DISK_FREE_MIN_MIB: nothing is taken in or made until there is room.`
                  )
            )
          ),
          Effect.ignore,
          Effect.repeat(Schedule.spaced(diskLookSec * 1_000))
        )
      ),
      Effect.forkScoped
    )
    if (s3Bucket === null) return diskObjects(join(dataDir, "media"), media)
    if (s3AccessKeyId === null || s3SecretAccessKey === null)
      return yield* new BadConfig({
        problems: ["S3_BUCKET is set: S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY must be set as well."]
      })
    return s3Objects({
      bucket: s3Bucket,
      endpoint: s3Endpoint,
      region: s3Region,
      accessKeyId: s3AccessKeyId,
      secretAccessKey: s3SecretAccessKey
    })
  })
)
