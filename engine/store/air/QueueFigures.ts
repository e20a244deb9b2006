import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { ms } from "../sql/instants.ts"
import { row } from "../sql/rows.ts"

const WaitingFigures = Schema.Struct({
  pendingReview: Schema.Int,
  oldestQueuedAtMs: Schema.NullOr(Schema.Finite)
})
export type WaitingFigures = typeof WaitingFigures.Type

const waiting = row(WaitingFigures)

/** How much waits before the rundown, in figures: for the health of the queue. */
export class QueueFigures extends Context.Service<QueueFigures>()("longwave/engine/store/QueueFigures", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    figures: Effect.map(
      waiting(sql`
      SELECT (count(*) FILTER (WHERE status = 'pending_review'))::int AS pending_review,
        ${ms("min(status_changed_at) FILTER (WHERE status = 'queued')")} AS oldest_queued_at_ms
      FROM segments WHERE status IN ('pending_review', 'queued')`),
      (figures) => figures ?? { pendingReview: 0, oldestQueuedAtMs: null }
    )
  }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
