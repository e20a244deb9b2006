import { Effect, Layer } from "effect"
import { PublishedReplays } from "../../engine/store/panels/Replays.ts"
import { StationFacts } from "../../engine/store/sql/StationFacts.ts"
import { outboxReader, type Told } from "../runtime/OutboxReader.ts"
import { Archivist } from "./protocol/Replays.ts"

/** Publishes the replay of an aired panel. The replay is saved before the panel can air. */
export const publishHeard = Effect.fnUntraced(function* ({ atMs, event }: Told) {
  if (event._tag !== "SegmentAired") return
  const record = yield* (yield* PublishedReplays).findBySegment(event.segmentId)
  if (record === null) return
  const archivist = (yield* Archivist.client)((yield* StationFacts).slug)
  yield* archivist.Publish({
    replayId: record.replay.id,
    airedAtMs: event.airedAt === null ? atMs : Date.parse(event.airedAt)
  })
})

/** Reads the outbox for aired panels. */
export const ReplayPublisherLive = Layer.effectDiscard(
  Effect.flatMap(outboxReader("replays", publishHeard), ({ run }) => Effect.forkScoped(run))
)
