import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

export interface WaitingFigures {
  readonly pendingReview: number
  readonly oldestQueuedAtMs: number | null
}

/** How much waits before the rundown, in figures: for the health of the queue. */
export class Waiting extends Context.Service<Waiting, {
  readonly figures: Effect.Effect<WaitingFigures>
}>()("longwave/engine/store/Waiting") {
  static readonly layer = Layer.effect(Waiting, Effect.map(SqlClient.SqlClient, (sql) => Waiting.of({
    figures: sql<WaitingFigures>`
      SELECT (count(*) FILTER (WHERE status = 'pending_review'))::int AS pending_review,
        round(extract(epoch from min(status_changed_at) FILTER (WHERE status = 'queued')) * 1000)::float8 AS oldest_queued_at_ms
      FROM segments WHERE status IN ('pending_review', 'queued')`.pipe(
      Effect.map((rows) => rows[0] ?? { pendingReview: 0, oldestQueuedAtMs: null }),
      Effect.orDie
    )
  })))
}
