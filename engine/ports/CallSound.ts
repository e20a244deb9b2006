import { Context, type Effect, Schema } from "effect"
import type { Asset } from "../../schema/Sound.ts"
import type { AssetId, InteractionId } from "../../schema/Ids.ts"
import type { Unusable } from "./Ingest.ts"
import type { ObjectsUnavailable } from "./ObjectStore.ts"
import type { MediaStoreUnavailable, Unairable } from "./Prepare.ts"

/** Object store key of the station's copy of a call. */
export const callKeyOf = (id: InteractionId): string => `calls/${id}.flac`

/** The queue of recordings to check is full. Nothing was kept. */
export class TooManyCalls extends Schema.TaggedError<TooManyCalls>()("TooManyCalls", {}) {}

/** Turns listeners' recordings into sound that may air. */
export class CallSound extends Context.Service<
  CallSound,
  {
    /** Checks an upload, decodes it completely in a sandbox and stores the station's own copy. The upload itself is never served. Returns its length. */
    readonly take: (upload: {
      readonly id: InteractionId
      readonly uploadKey: string
      readonly contentType: string | null
    }) => Effect.Effect<number, Unusable | ObjectsUnavailable | TooManyCalls>
    /** Masters the copy as speech. Idempotent. */
    readonly master: (
      id: InteractionId,
      assetId: AssetId
    ) => Effect.Effect<Asset, Unairable | MediaStoreUnavailable | ObjectsUnavailable>
    /** Deletes the copy and the sound made from it. */
    readonly discard: (
      id: InteractionId,
      assetId: AssetId | null
    ) => Effect.Effect<void, MediaStoreUnavailable | ObjectsUnavailable>
  }
>()("longwave/engine/ports/CallSound") {}
