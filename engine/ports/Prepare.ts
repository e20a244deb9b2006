import { Context, type Effect, Schema } from "effect"
import type { StagedSound } from "../../schema/air/Air.ts"
import type { AssetId } from "../../schema/Ids.ts"
import type { Asset, SoundKind } from "../../schema/Sound.ts"
import type { Synthetic } from "../../schema/Synthetic.ts"
import type { RawSound, SpeechRole } from "./Speech.ts"

/** A sound that can't air, and why; codes are those of the QC checks. */
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

/** The disk is full, read-only or broken: nothing was written, the sound can be made again. */
export class MediaStoreUnavailable extends Schema.TaggedError<MediaStoreUnavailable>()("MediaStoreUnavailable", {
  detail: Schema.String
}) {}

export class NotStaged extends Schema.TaggedError<NotStaged>()("NotStaged", {
  assetId: Schema.String,
  reason: Schema.Literals(["missing", "truncated", "wrong_hash", "disk"])
}) {}

/** A sound that is too long to be held in memory: interleaved stereo float32 in a file of whoever asks, who removes it afterwards. */
export interface SoundFile {
  readonly path: string
  readonly sampleRateHz: number
  readonly words: RawSound["words"]
}

/** From raw sound to an asset that may air, and from an asset to PCM on local disk. */
export class Prepare extends Context.Service<
  Prepare,
  {
    /** QC, mastering to −16 LUFS ± 0.5 and ≤ −1 dBTP, cue points, envelope, peaks; writes FLAC and MP3. Releases the raw sound once it has answered. */
    readonly prepare: (ask: {
      readonly id: AssetId
      readonly kind: SoundKind
      readonly raw: RawSound | SoundFile
      readonly role: SpeechRole | "HOUSE"
      /** Where known (composed music); else they are found in the audio. */
      readonly introEndMs: number | null
      readonly segueMs: number | null
      /** How a machine made it; null where none did, or nobody has said so yet. */
      readonly synthetic: Synthetic
    }) => Effect.Effect<Asset, Unairable | MediaStoreUnavailable>
    /** Writes the mark of an asset into the files that it has, without encoding them again. Idempotent. */
    readonly mark: (asset: Pick<Asset, "id" | "pcmSha256" | "synthetic">) => Effect.Effect<void, MediaStoreUnavailable>
    /** Decodes the asset's FLAC to s16le PCM, checks the hash, keeps it for the mixer. Idempotent. */
    readonly stage: (asset: Asset) => Effect.Effect<StagedSound, NotStaged>
    /** Path of the listening copy (MP3) of an asset; the file is there once `prepare` has answered. */
    readonly listeningCopy: (id: AssetId) => string
    /** Removes the least recently staged files above `stagedMaxBytes`, never those in `keep`; tells how many went. */
    readonly purgeStaged: (keep: ReadonlySet<AssetId>) => Effect.Effect<number>
  }
>()("longwave/engine/ports/Prepare") {}
