import { Context, type Effect } from "effect"
import type { ItemLabel, OutputId } from "../../schema/air/Air.ts"

/** Bytes ready to send. `body` is shared by all listeners and must not be modified. */
export interface LiveObject {
  readonly contentType: string
  readonly body: Uint8Array
  readonly maxAgeSec: number
  /** Fencing token of the owner of the air, of live playlists. */
  readonly fence?: number | null
}

export type LiveAnswer =
  | { readonly _tag: "Found"; readonly object: LiveObject }
  /** A blocking reload more than two target durations ahead, or an invalid part index; `parameter` names the fault's place in the query. */
  | { readonly _tag: "Impossible"; readonly parameter: "_HLS_msn" | "_HLS_part" | "start"; readonly detail: string }
  /** Not available, or no longer. */
  | { readonly _tag: "Gone"; readonly detail?: string }
  /** The requested part wasn't produced in time. Try again. */
  | { readonly _tag: "Late" }

export type HlsVariant = Exclude<OutputId, "mp3">

/** Offered HLS renditions: two audio qualities and the captions. */
export type HlsRendition = HlsVariant | "words"

/** A run of whole MP3 frames, or the point where the next item begins. */
export type Mp3Chunk =
  | { readonly _tag: "Frames"; readonly bytes: Uint8Array; readonly firstSample: number }
  | { readonly _tag: "Label"; readonly label: ItemLabel }

/** Start of a time-shifted listener: an instant, or an offset before now. */
export type ShiftStart =
  | { readonly _tag: "At"; readonly atMs: number }
  | { readonly _tag: "Behind"; readonly behindSec: number }

/** A time-shifted live stream from the journal on disk. */
export interface Shifted {
  /** Names playlists that begin at `start`, with the resulting delay. */
  readonly multivariant: (start: ShiftStart) => Effect.Effect<LiveAnswer>
  /** `fromMs`: start of the listener; the playlist lists nothing earlier. Without it, a whole window. */
  readonly playlist: (variant: HlsVariant, behindSec: number, fromMs?: number | null) => Effect.Effect<LiveAnswer>
  /** A segment without the parts before `firstPart`. */
  readonly segment: (variant: HlsVariant, msn: number, firstPart?: number) => Effect.Effect<LiveAnswer>
}

/** The live window for listeners. Reads never wait for an actor. */
export class Live extends Context.Service<
  Live,
  {
    /** Whether this process has the air of its station; always true while the station is one process. */
    readonly isOnAir: () => boolean
    /** Waits some seconds for the air. Answers whether this process has it. */
    readonly awaitAir: Effect.Effect<boolean>
    /** Fencing token of the owner of the air; null until one has planned it. */
    readonly fence: () => number | null
    /** A proof of that token at this time, Unix ms, to be passed on with requests; null without the air, and while the station is one process. */
    readonly fenceProof: (nowMs: number) => string | null
    /** Notes the proof that a request carries. Answers when its owner wrote it, Unix ms; null for what proves nothing. */
    readonly seeFenceProof: (proof: string, nowMs: number) => number | null
    readonly multivariant: () => LiveObject
    /** `msn` and `part` from `_HLS_msn` and `_HLS_part`: the response waits until that part exists. `skip` requests a delta update. */
    readonly playlist: (
      rendition: HlsRendition,
      ask: {
        readonly msn: number | null
        readonly part: number | null
        readonly skip: boolean
      }
    ) => Effect.Effect<LiveAnswer>
    readonly init: (variant: HlsVariant) => LiveObject | null
    readonly segment: (rendition: HlsRendition, msn: number) => Effect.Effect<LiveAnswer>
    /** Waits for a part announced by a preload hint. */
    readonly part: (rendition: HlsRendition, msn: number, part: number) => Effect.Effect<LiveAnswer>
    /** WebVTT captions of a planned, current or recent item, word by word, timed from the item's start. */
    readonly words: (itemId: string) => Effect.Effect<LiveAnswer>
    /** Loudness of such an item over its length, as JSON: `{ levels }` from 0 to 255. */
    readonly wave: (itemId: string) => Effect.Effect<LiveAnswer>
    readonly shifted: Shifted
    /**
     * Metadata of the item on air and the last seconds of whole frames, the first of which begins at `firstSample`. Then `next` receives everything
     * that follows until `close`.
     */
    readonly mp3: (
      burstMs: number,
      next: (chunk: Mp3Chunk) => void
    ) => {
      readonly burst: ReadonlyArray<Uint8Array>
      readonly label: ItemLabel
      readonly firstSample: number
      readonly close: () => void
    }
  }
>()("longwave/engine/ports/Live") {}
