import { Context, type Effect } from "effect"
import type { AssetId, UploadId } from "../../schema/Ids.ts"
import type { Qc, UploadPurpose } from "../../schema/segments/Upload.ts"
import type { Asset } from "../../schema/Sound.ts"
import type { ObjectsUnavailable } from "./ObjectStore.ts"
import type { MediaStoreUnavailable } from "./Prepare.ts"

/** Where what was sent lies until it has been examined. */
export const incomingKeyOf = (id: UploadId): string => `uploads/${id}`

/** Where the station's own copy of a sample lies: it is never mastered and never airs. */
export const sampleKeyOf = (id: UploadId): string => `samples/${id}.mp3`

/** What came of looking at a recording. Without an asset where its checks were failed, and for samples. */
export interface Examined {
  readonly qc: Qc
  readonly durationSec: number | null
  /** What it sounds like, to find copies of it by; null where it could not be decoded. */
  readonly fingerprint: Uint8Array | null
  readonly asset: Asset | null
}

/** Recordings of agents: from what was sent to what may air. */
export class UploadSound extends Context.Service<
  UploadSound,
  {
    /** SHA-256 of what lies at a key, in hex; null where there is nothing. */
    readonly sha256: (key: string) => Effect.Effect<string | null, ObjectsUnavailable>
    /**
     * Looks at it from outside, decodes it whole in confinement, measures it, and masters what passes. `alike` answers fingerprints of
     * recordings about as long, of which it may be a copy. Done again, it is the same.
     */
    readonly examine: (upload: {
      readonly id: UploadId
      readonly purpose: UploadPurpose
      readonly contentType: string
      readonly byteSize: number
      readonly assetId: AssetId
      readonly alike: (durationSec: number) => Effect.Effect<ReadonlyArray<Uint8Array>>
    }) => Effect.Effect<Examined, MediaStoreUnavailable | ObjectsUnavailable>
    /** Nothing of it is left: what was sent, the copy, and what was made of it for the air. */
    readonly discard: (
      id: UploadId,
      assetId: AssetId
    ) => Effect.Effect<void, MediaStoreUnavailable | ObjectsUnavailable>
  }
>()("longwave/engine/ports/UploadSound") {}
