import { Context, type Effect } from "effect"
import type { AssetId } from "../../schema/Ids.ts"
import type { Asset } from "../../schema/Sound.ts"
import type { Synthetic } from "../../schema/Synthetic.ts"
import type { ObjectsUnavailable } from "./ObjectStore.ts"
import type { MediaStoreUnavailable, Unairable } from "./Prepare.ts"

/** Object store key of a file of a recording: a piece or the playlist. */
export const replayKeyOf = (assetId: AssetId, file: string): string => `replays/${assetId}/${file}`
export const replayPlaylist = "index.m3u8"

/** Processing of recordings after they aired. */
export class ReplaySound extends Context.Service<
  ReplaySound,
  {
    /** Splits it into pieces for players. The playlist is written last, so that it never names a missing piece. Idempotent. */
    readonly pack: (assetId: AssetId) => Effect.Effect<void, Unairable | MediaStoreUnavailable | ObjectsUnavailable>
    /** A clip of it as a separate sound with the same mark, faded in and out. Idempotent. */
    readonly cut: (ask: {
      readonly from: AssetId
      readonly to: AssetId
      readonly startSec: number
      readonly durationSec: number
      readonly synthetic: Synthetic
    }) => Effect.Effect<Asset, Unairable | MediaStoreUnavailable>
  }
>()("longwave/engine/ports/ReplaySound") {}
