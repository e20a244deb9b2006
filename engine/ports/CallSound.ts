import { Context, type Effect } from "effect"
import type { Asset } from "../../schema/Sound.ts"
import type { AssetId, InteractionId } from "../../schema/Ids.ts"
import type { Unusable } from "./Ingest.ts"
import type { ObjectsUnavailable } from "./ObjectStore.ts"
import type { MediaStoreUnavailable, Unairable } from "./Prepare.ts"

/** Where the station's own copy of a call lies in the object store. */
export const callKeyOf = (id: InteractionId): string => `calls/${id}.flac`

/** Recordings of listeners: from what a stranger sent to what may air. */
export class CallSound extends Context.Service<
  CallSound,
  {
    /** Looked at from outside, decoded whole in confinement, and kept as the station's own copy: the upload itself is never served. Answers how long it is. */
    readonly take: (upload: {
      readonly id: InteractionId
      readonly uploadKey: string
      readonly contentType: string | null
    }) => Effect.Effect<number, Unusable | ObjectsUnavailable>
    /** The copy, mastered as speech is. Done again, it is the same. */
    readonly master: (
      id: InteractionId,
      assetId: AssetId
    ) => Effect.Effect<Asset, Unairable | MediaStoreUnavailable | ObjectsUnavailable>
    /** Nothing of it is left: the copy, and what was made of it for the air. */
    readonly discard: (
      id: InteractionId,
      assetId: AssetId | null
    ) => Effect.Effect<void, MediaStoreUnavailable | ObjectsUnavailable>
  }
>()("longwave/engine/ports/CallSound") {}
