import { Context, type Effect } from "effect"
import type { AssetId } from "../../schema/Ids.ts"
import type { Asset } from "../../schema/Sound.ts"
import type { MediaStoreUnavailable, Unairable } from "./Prepare.ts"

/** A stretch of a prepared sound and its position; all in samples. */
export interface StitchPiece {
  readonly asset: Asset
  readonly atSample: number
  /** Counted from the first sample of the asset. */
  readonly fromSample: number
  readonly samples: number
  /** Gain from each sample of the piece on, with straight lines between points. */
  readonly gains: ReadonlyArray<readonly [atSample: number, gain: number]>
}

/** Combines prepared sounds at their positions and masters the result. */
export class Stitch extends Context.Service<
  Stitch,
  {
    /**
     * Speech at its loudness ± 0.5 LU with true peaks ≤ −1 dBTP as FLAC and MP3, with the words of all pieces at their new times. The mark combines those of
     * the pieces. Deterministic, with memory independent of the length.
     */
    readonly stitch: (ask: {
      readonly id: AssetId
      readonly samples: number
      readonly pieces: ReadonlyArray<StitchPiece>
    }) => Effect.Effect<Asset, Unairable | MediaStoreUnavailable>
  }
>()("longwave/engine/ports/Stitch") {}
