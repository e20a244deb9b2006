import { Effect, Layer } from "effect"
import { join } from "node:path"
import { BadConfig, StationConfig } from "../../engine/runtime/Config.ts"
import { ObjectStore } from "../../engine/ports/ObjectStore.ts"
import { diskObjects } from "./DiskObjects.ts"
import { s3Objects } from "./S3Objects.ts"

/** In the configured bucket, else beside the other media in the data folder. */
export const ObjectsLive = Layer.effect(
  ObjectStore,
  Effect.gen(function* () {
    const { dataDir, s3AccessKeyId, s3Bucket, s3Endpoint, s3Region, s3SecretAccessKey } = yield* StationConfig
    if (s3Bucket === null) return diskObjects(join(dataDir, "media"))
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
