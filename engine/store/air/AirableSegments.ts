import { Context, type Effect } from "effect"
import type { SegmentId } from "../../../schema/Ids.ts"
import type { Airable } from "../../../schema/air/Rundown.ts"

/**
 * What the scheduler and the transmitter need of segments; the repository of segments provides it.
 * Each mark is a transition of D41 that has no effect when the segment already is there, or when `fence` is no longer the station's.
 */
export class AirableSegments extends Context.Service<
  AirableSegments,
  {
    /** Queued, with sound, not held, valid at `atMs` or within the next hours; at most `limit`, oldest first, where one that has to wait for its time is as old as that. As many again that wait for a block of their show follow. */
    readonly queuedForAir: (atMs: number, limit: number) => Effect.Effect<ReadonlyArray<Airable>>
    /** One that may air at any time now; null for every other. */
    readonly airable: (id: SegmentId) => Effect.Effect<Airable | null>
    /** Of these, the ones that may not air any more (held, cancelled, rejected, expired): checked again at take. */
    readonly refused: (ids: ReadonlyArray<SegmentId>) => Effect.Effect<ReadonlyArray<SegmentId>>
    /** All that count as one of `from` and are not among `keep` wait in the queue again. */
    readonly reclaim: (
      keep: ReadonlyArray<SegmentId>,
      from: ReadonlyArray<"scheduled" | "airing">,
      fence: number
    ) => Effect.Effect<void>
    readonly markScheduled: (id: SegmentId, expectedAtMs: number, fence: number) => Effect.Effect<void>
    /** Displaced from the rundown, or cut before half of it was heard: it waits again. */
    readonly markQueued: (id: SegmentId, reason: string, fence: number) => Effect.Effect<void>
    /** Its sound can't be had, and has been tried for long enough: it waits no more. */
    readonly markFailed: (id: SegmentId, reason: string, fence: number) => Effect.Effect<void>
    readonly markAiring: (id: SegmentId, atMs: number, fence: number) => Effect.Effect<void>
    /** `heardShare` decides with `complete`: a segment cut before half of it goes back to the queue, once. */
    readonly markAired: (
      id: SegmentId,
      heard: { readonly complete: boolean; readonly share: number; readonly endedAtMs: number },
      fence: number
    ) => Effect.Effect<void>
  }
>()("longwave/engine/store/AirableSegments") {}
