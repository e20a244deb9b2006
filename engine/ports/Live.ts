import { Context, type Effect } from "effect"
import type { ItemLabel, OutputId } from "../../schema/air/Air.ts"

/** Bytes ready to be sent: `body` is shared by all listeners and must not be written to. */
export interface LiveObject {
  readonly contentType: string
  readonly body: Uint8Array
  readonly maxAgeSec: number
}

export type LiveAnswer =
  | { readonly _tag: "Found"; readonly object: LiveObject }
  /** Blocking reload further ahead than two target durations, or a part index that makes no sense. */
  | { readonly _tag: "Impossible"; readonly detail: string }
  /** Not here, or not any more; `detail` says more where there is more to say. */
  | { readonly _tag: "Gone"; readonly detail?: string }
  /** The part asked for did not come in time: the origin is late, try again. */
  | { readonly _tag: "Late" }

export type HlsVariant = Exclude<OutputId, "mp3">

/** What HLS offers: the sound in two qualities, and what is said in it. */
export type HlsRendition = HlsVariant | "words"

/** A run of whole MP3 frames, or the point at which another item begins to be heard. */
export type Mp3Chunk =
  | { readonly _tag: "Frames"; readonly bytes: Uint8Array; readonly firstSample: number }
  | { readonly _tag: "Label"; readonly label: ItemLabel }

/** Where a listener who is not live begins: at an instant, or this long before now. */
export type ShiftStart =
  | { readonly _tag: "At"; readonly atMs: number }
  | { readonly _tag: "Behind"; readonly behindSec: number }

/** What was broadcast, once more: a live stream that runs behind, from the journal on disk. */
export interface Shifted {
  /** Names playlists that begin at `start` and run behind by what it comes to now. */
  readonly multivariant: (start: ShiftStart) => Effect.Effect<LiveAnswer>
  /** `fromMs`: the instant at which the listener began; the playlist lists nothing earlier. Without it, a whole window. */
  readonly playlist: (variant: HlsVariant, behindSec: number, fromMs?: number | null) => Effect.Effect<LiveAnswer>
  /** A segment without the parts before `firstPart`. */
  readonly segment: (variant: HlsVariant, msn: number, firstPart?: number) => Effect.Effect<LiveAnswer>
}

/** What listeners get: the live window as it stands now. Reads never wait for an actor. */
export class Live extends Context.Service<
  Live,
  {
    readonly multivariant: () => LiveObject
    /** `msn` and `part` from `_HLS_msn` and `_HLS_part`: the answer waits until that part exists. `skip` asks for a delta. */
    readonly playlist: (
      rendition: HlsRendition,
      ask: {
        readonly msn: number | null
        readonly part: number | null
        readonly skip: boolean
      }
    ) => Effect.Effect<LiveAnswer>
    readonly init: (variant: HlsVariant) => LiveObject | null
    readonly segment: (rendition: HlsRendition, msn: number) => LiveAnswer
    /** Waits for a part that was announced by a preload hint. */
    readonly part: (rendition: HlsRendition, msn: number, part: number) => Effect.Effect<LiveAnswer>
    /** What is said in an item that is planned, on the air or was lately: WebVTT from its own beginning, word by word. */
    readonly words: (itemId: string) => LiveAnswer
    /** How loud such an item is along its length: `{ levels }` from 0 to 255 in JSON. */
    readonly wave: (itemId: string) => LiveAnswer
    readonly shifted: Shifted
    /** The label on air and the last seconds of whole frames, then `next` is called for all that follow until `close`. */
    readonly mp3: (
      burstMs: number,
      next: (chunk: Mp3Chunk) => void
    ) => {
      readonly burst: ReadonlyArray<Uint8Array>
      readonly label: ItemLabel
      readonly close: () => void
    }
  }
>()("longwave/engine/ports/Live") {}
