import { Context, type Effect, Schema } from "effect"
import type { StagedSound } from "../../schema/air/Air.ts"
import type { AssetId } from "../../schema/Ids.ts"
import type { Asset, SoundKind } from "../../schema/Sound.ts"
import type { Synthetic } from "../../schema/Synthetic.ts"
import type { RawSound, SpeechRole } from "./Speech.ts"

/** A sound that can't air, with the reason; codes are those of the QC checks. */
export class Unairable extends Schema.TaggedError<Unairable>()("Unairable", {
  code: Schema.Literals([
    "silent",
    "not_a_number",
    "too_short",
    "too_long",
    "clipped",
    "inner_silence",
    "dc_offset",
    "undecodable",
    "length_mismatch"
  ]),
  detail: Schema.String
}) {}

/** The disk is full, read-only or broken. Nothing was written; the sound can be made again. */
export class MediaStoreUnavailable extends Schema.TaggedError<MediaStoreUnavailable>()("MediaStoreUnavailable", {
  detail: Schema.String
}) {}

export class NotStaged extends Schema.TaggedError<NotStaged>()("NotStaged", {
  assetId: Schema.String,
  reason: Schema.Literals(["missing", "truncated", "wrong_hash", "disk"])
}) {}

/** A sound too long for memory: interleaved stereo float32 in a file. The caller deletes it. */
export interface SoundFile {
  readonly path: string
  readonly sampleRateHz: number
  readonly words: RawSound["words"]
}

/** Turns raw sound into an asset that may air, and an asset into PCM on the local disk. */
export class Prepare extends Context.Service<
  Prepare,
  {
    /** QC, mastering to the loudness of its kind ± 0.5 LU and ≤ −1 dBTP, cue points, envelope, peaks; writes FLAC and MP3. Releases the raw sound before it returns. */
    readonly prepare: (ask: {
      readonly id: AssetId
      readonly kind: SoundKind
      readonly raw: RawSound | SoundFile
      readonly role: SpeechRole | "HOUSE"
      /** Known for composed music; otherwise estimated from the audio. */
      readonly introEndMs: number | null
      readonly segueMs: number | null
      /** How a machine made it; null if none did or it isn't declared yet. */
      readonly synthetic: Synthetic
    }) => Effect.Effect<Asset, Unairable | MediaStoreUnavailable>
    /** Writes an asset's mark into its existing files without encoding them again. Idempotent. */
    readonly mark: (asset: Pick<Asset, "id" | "pcmSha256" | "synthetic">) => Effect.Effect<void, MediaStoreUnavailable>
    /** Decodes the asset's FLAC to s16le PCM, verifies the hash and keeps it for the mixer. Idempotent. */
    readonly stage: (asset: Asset) => Effect.Effect<StagedSound, NotStaged>
    /** The sound as `stage` returns it, whether it is on the disk or not. */
    readonly stagedAs: (asset: Asset) => StagedSound
    /** Path of an asset's MP3; the file exists once `prepare` has returned. */
    readonly listeningCopyOf: (id: AssetId) => string
    /** Deletes a sound that nothing refers to any more: master, listening copy and PCM. Idempotent. */
    readonly discard: (id: AssetId) => Effect.Effect<void, MediaStoreUnavailable>
    /** Removes the least recently staged files above `stagedMaxBytes`, never those in `keep`; returns how many. */
    readonly purgeStaged: (keep: ReadonlySet<AssetId>) => Effect.Effect<number>
  }
>()("longwave/engine/ports/Prepare") {}
