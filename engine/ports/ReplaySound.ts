import { Context, type Effect } from "effect"
import type { AssetId } from "../../schema/Ids.ts"
import type { Asset } from "../../schema/Sound.ts"
import type { Synthetic } from "../../schema/Synthetic.ts"
import type { ObjectsUnavailable } from "./ObjectStore.ts"
import type { MediaStoreUnavailable, Unairable } from "./Prepare.ts"

/** Where the pieces of a recording lie in the object store, and the list of them. */
export const replayKeyOf = (assetId: AssetId, file: string): string => `replays/${assetId}/${file}`
export const replayPlaylist = "index.m3u8"

/** What is made of recordings after they were heard. */
export class ReplaySound extends Context.Service<
  ReplaySound,
  {
    /** In pieces for players. The list comes last, so that it names nothing that isn't there; done again, it is the same. */
    readonly pack: (assetId: AssetId) => Effect.Effect<void, Unairable | MediaStoreUnavailable | ObjectsUnavailable>
    /** A stretch of it as a sound of its own, marked as the whole is, which comes up from silence and goes back to it. Done again, it is the same. */
    readonly cut: (ask: {
      readonly from: AssetId
      readonly to: AssetId
      readonly startSec: number
      readonly durationSec: number
      readonly synthetic: Synthetic
    }) => Effect.Effect<Asset, Unairable | MediaStoreUnavailable>
  }
>()("longwave/engine/ports/ReplaySound") {}
