import { Context, type Effect } from "effect"
import type { SegmentId } from "../../../schema/Ids.ts"
import type { Airable } from "../../../schema/air/Rundown.ts"

/** What the scheduler needs of segments and calls. */
export class AirableSegments extends Context.Service<
  AirableSegments,
  {
    /** Queued, with sound, not held, valid at `atMs` or within the next hours; at most `limit`, oldest first, where one that has to wait for its time is as old as that. As many again that wait for a block of their show follow. */
    readonly queuedForAir: (atMs: number, limit: number) => Effect.Effect<ReadonlyArray<Airable>>
    /** One that may air at any time now; null for every other. */
    readonly airable: (id: SegmentId) => Effect.Effect<Airable | null>
    /** Of these, the ones that may not air any more (held, cancelled, rejected, expired): checked again at take. */
    readonly refused: (ids: ReadonlyArray<SegmentId>) => Effect.Effect<ReadonlyArray<SegmentId>>
  }
>()("longwave/engine/store/AirableSegments") {}
