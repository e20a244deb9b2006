import { Context, type Effect } from "effect"
import type { AssetId } from "../../schema/Ids.ts"
import type { Asset } from "../../schema/Sound.ts"
import type { MediaStoreUnavailable, Unairable } from "./Prepare.ts"

/** A stretch of a prepared sound and where it is heard; all in samples. */
export interface StitchPiece {
  readonly asset: Asset
  readonly atSample: number
  /** Counted from the first sample of the asset. */
  readonly fromSample: number
  readonly samples: number
  /** How loud from where on, counted from the piece's beginning: straight lines between the points. */
  readonly gains: ReadonlyArray<readonly [atSample: number, gain: number]>
}

/** Many prepared sounds as one: laid where they are told to lie, and mastered as a whole. */
export class Stitch extends Context.Service<
  Stitch,
  {
    /**
     * Speech of −16 LUFS ± 0.5 with no true peak above −1 dBTP, FLAC and MP3, with the words of all its pieces where they are now.
     * The mark is that of its pieces together. The same ask gives the same samples, bit for bit. However long it gets, it takes no more memory.
     */
    readonly stitch: (ask: {
      readonly id: AssetId
      readonly samples: number
      readonly pieces: ReadonlyArray<StitchPiece>
    }) => Effect.Effect<Asset, Unairable | MediaStoreUnavailable>
  }
>()("longwave/engine/ports/Stitch") {}
