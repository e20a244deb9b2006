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
      SELECT (SELECT count(*)::int FROM segments WHERE status = 'pending_review') AS pending_review,
        (SELECT ${ms("min(changed_at)")} FROM airings WHERE subject = 'segment' AND state = 'waiting') AS oldest_queued_at_ms`),
      (figures) => figures ?? { pendingReview: 0, oldestQueuedAtMs: null }
    )
  }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
