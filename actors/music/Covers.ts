import { Effect } from "effect"
import { Ingest } from "../../engine/ports/Ingest.ts"
import { ObjectStore } from "../../engine/ports/ObjectStore.ts"
import type { TrackId } from "../../schema/Ids.ts"
import { Busy, InvalidField } from "../../schema/Problems.ts"

const busy = ({ detail }: { readonly detail: string }) =>
  new Busy({ detail: `${detail} Nothing was kept; send it again later.`, retryAfterSec: 60 })

const pictures = [
  [/^ffd8ff/, "image/jpeg"],
  [/^89504e470d0a1a0a/, "image/png"],
  [/^52494646.{8}57454250/, "image/webp"]
] as const

/** Decodes a cover and encodes it anew; answers its key. `pointer` names the field that it came in. */
export const keepCover = Effect.fnUntraced(function* (bytes: Uint8Array, trackId: TrackId, pointer: string) {
  const head = Buffer.from(bytes.subarray(0, 16)).toString("hex")
  const contentType = pictures.find(([magic]) => magic.test(head))?.[1]
  const invalidCover = (detail: string) =>
    new InvalidField({
      detail: `The cover can't be used: ${detail}`,
      errors: [{ pointer, code: "INVALID_FIELD", detail }]
    })
  if (contentType === undefined) return yield* invalidCover("it is no JPEG, PNG or WebP.")
  const objects = yield* ObjectStore
  const uploadKey = `uploads/cover-${trackId}`
  yield* Effect.mapError(objects.put(uploadKey, { bytes }, contentType), busy)
  return yield* (yield* Ingest)
    .ingest({ uploadKey, contentType, byteSize: bytes.length, name: `cover-${trackId}` })
    .pipe(
      Effect.map(({ path }) => path),
      Effect.catchTags({
        Unusable: ({ detail }) => Effect.fail(invalidCover(detail)),
        ObjectsUnavailable: (fault) => Effect.fail(busy(fault))
      }),
      Effect.ensuring(Effect.ignore(objects.remove([uploadKey])))
    )
})
