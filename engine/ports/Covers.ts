import { Context, type Effect } from "effect"
import type { ObjectsUnavailable } from "./ObjectStore.ts"
import type { NotDrawn } from "./Portraits.ts"

/** What stands on the cover of a podcast. */
export interface Cover {
  readonly title: string
  /** Whose it is, in a line below. */
  readonly line: string
  readonly stationName: string
}

/** Covers of podcasts: square, and as large as directories of them ask for. */
export class Covers extends Context.Service<
  Covers,
  {
    /** Where among the station's objects its PNG lies: drawn by whoever asks first, and the same for the same words ever after. */
    readonly keyOf: (cover: Cover) => Effect.Effect<string, NotDrawn | ObjectsUnavailable>
  }
>()("longwave/engine/ports/Covers") {}
