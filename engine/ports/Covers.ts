import { Context, type Effect } from "effect"
import type { ObjectsUnavailable } from "./ObjectStore.ts"
import type { NotDrawn } from "./Portraits.ts"

/** Text of a podcast cover. */
export interface Cover {
  readonly title: string
  /** Second line: the owner. */
  readonly line: string
  readonly stationName: string
}

/** Podcast covers: square, in the size that podcast directories require. */
export class Covers extends Context.Service<
  Covers,
  {
    /** Object key of the cover's PNG. The first request draws it; equal text has the same key. */
    readonly keyOf: (cover: Cover) => Effect.Effect<string, NotDrawn | ObjectsUnavailable>
  }
>()("longwave/engine/ports/Covers") {}
