import { Context, type Effect, Schema } from "effect"
import type { AssetId, UploadId } from "../../schema/Ids.ts"
import type { Composition, MusicFailed } from "./Music.ts"
import type { ObjectsUnavailable } from "./ObjectStore.ts"
import type { MediaStoreUnavailable } from "./Prepare.ts"

/** The source is gone or can't be decoded: there is nothing to listen to. */
export class SourceUnusable extends Schema.TaggedError<SourceUnusable>()("SourceUnusable", {
  detail: Schema.String
}) {}

/** How a source is played again. */
export interface ArrangeAsk {
  /** The arrangement's style, by genre. */
  readonly genre: string
  readonly mood: string | null
  readonly seed: number
}

type Arranged = Effect.Effect<Composition, MusicFailed | SourceUnusable | MediaStoreUnavailable | ObjectsUnavailable>

/**
 * Listens to a sound, writes down its tempo, harmonies and tune, and has the house play them in another arrangement. Nothing of the sound itself is
 * in the result. Deterministic: the same source and ask give identical samples.
 */
export class Arranger extends Context.Service<
  Arranger,
  {
    /** Genres whose styles suit a tempo, without the one that the source has; ordered by the seed. Never empty. */
    readonly arrangements: (source: {
      readonly genre: string
      readonly bpm: number | null
      readonly seed: number
    }) => ReadonlyArray<string>
    /** Plays a sound of the station again, bar by bar. `bpm` is its tempo, if that is known. */
    readonly remix: (ask: ArrangeAsk & { readonly source: AssetId; readonly bpm: number | null }) => Arranged
    /** Builds a song on the line or the rhythm of a sample. */
    readonly songOnSample: (ask: ArrangeAsk & { readonly uploadId: UploadId; readonly durationSec: number }) => Arranged
  }
>()("longwave/engine/ports/Arranger") {}
