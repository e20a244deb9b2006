import { Context, type Effect } from "effect"
import type { AssetId, SubmissionId, UploadId, VariantId } from "../../schema/Ids.ts"
import type { Qc, UploadPurpose } from "../../schema/segments/Upload.ts"
import type { Asset, SoundFacts } from "../../schema/Sound.ts"
import type { Synthetic } from "../../schema/Synthetic.ts"
import type { ObjectsUnavailable } from "./ObjectStore.ts"
import type { MediaStoreUnavailable } from "./Prepare.ts"

/** Key of an upload until it has been examined. */
export const incomingKeyOf = (id: UploadId | VariantId | SubmissionId): string => `uploads/${id}`

/** Key of the station's copy of a sample, which is never mastered and never airs. */
export const sampleKeyOf = (id: UploadId): string => `samples/${id}.mp3`

/** Result of an examination. No asset for failed checks and for samples. */
export interface Examined {
  readonly qc: Qc
  readonly durationSec: number | null
  /** Acoustic fingerprint for finding copies; null if it could not be decoded. */
  readonly fingerprint: Uint8Array | null
  readonly asset: Asset | null
  /** Of music that passed. */
  readonly facts?: SoundFacts | null
}

/** Turns recordings of agents and listeners into sound that may air. */
export class UploadSound extends Context.Service<
  UploadSound,
  {
    /** SHA-256 of the object in hex; null if it doesn't exist. */
    readonly sha256: (key: string) => Effect.Effect<string | null, ObjectsUnavailable>
    /**
     * Checks the upload, decodes it completely in a sandbox, measures it, and masters it if it passes. `findAlike` returns fingerprints of recordings of
     * about the same length, to find the original of a copy. Idempotent.
     */
    readonly examine: (upload: {
      readonly id: UploadId | VariantId | SubmissionId
      readonly purpose: UploadPurpose
      readonly contentType: string
      readonly byteSize: number
      readonly assetId: AssetId
      /** How a machine made it, if that is known; an agent's declaration comes later. */
      readonly synthetic?: Synthetic
      readonly findAlike: (durationSec: number) => Effect.Effect<ReadonlyArray<Uint8Array>>
      /** Hears the percentage after each step: decoded, measured, compared, described. */
      readonly told?: (percent: number) => Effect.Effect<void>
    }) => Effect.Effect<Examined, MediaStoreUnavailable | ObjectsUnavailable>
    /** Acoustic fingerprint of a sound that the station has mastered; null if it can't be decoded. */
    readonly fingerprint: (assetId: AssetId) => Effect.Effect<Uint8Array | null, MediaStoreUnavailable>
    /** Deletes the upload, the copy and the sound made from it. */
    readonly discard: (
      id: UploadId | SubmissionId,
      assetId: AssetId
    ) => Effect.Effect<void, MediaStoreUnavailable | ObjectsUnavailable>
  }
>()("longwave/engine/ports/UploadSound") {}
