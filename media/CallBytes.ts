import { Effect, Stream } from "effect"
import type { ObjectStore } from "../engine/ports/ObjectStore.ts"
import { NotTranscribed } from "../engine/ports/Transcriber.ts"

/** A recording as it lies in the store, as long as it isn't longer than one can be. */
export const bytesOf = Effect.fnUntraced(function*(objects: ObjectStore["Service"], key: string, bytesMax: number) {
  const size = yield* objects.size(key)
  const found = size === null || size > bytesMax ? null : yield* objects.read(key, null)
  if (found === null) return yield* new NotTranscribed({ detail: "The recording is gone.", again: false })
  const whole = new Uint8Array(size!)
  let at = 0
  yield* Stream.runForEach(found, (chunk) => Effect.sync(() => {
    whole.set(chunk.subarray(0, whole.length - at), at)
    at += chunk.length
  }))
  return whole
}, Effect.catchTag("ObjectsUnavailable", ({ detail }) => Effect.fail(new NotTranscribed({ detail, again: true }))))
