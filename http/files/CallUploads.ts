import { Effect, Layer } from "effect"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { ObjectStore } from "../../engine/ports/ObjectStore.ts"
import { Busy } from "../../schema/Problems.ts"
import { CallUploads } from "../api/listeners/CallUploads.ts"

/** Stores calls in the object store. */
export const CallUploadsLive = Layer.effect(
  CallUploads,
  Effect.gen(function* () {
    const ids = yield* IdSource
    const objects = yield* ObjectStore
    return CallUploads.of({
      runWithUpload: Effect.fnUntraced(function* (path, use) {
        const uploadKey = `calls/incoming/${yield* ids.make("upl")}`
        const put = Effect.mapError(
          objects.put(uploadKey, { path }, "application/octet-stream"),
          ({ detail }) => new Busy({ detail: `${detail} Nothing was kept; call again later.`, retryAfterSec: 60 })
        )
        return yield* Effect.acquireUseRelease(
          put,
          () => use(uploadKey),
          () => Effect.ignore(objects.remove([uploadKey]))
        )
      })
    })
  })
)
