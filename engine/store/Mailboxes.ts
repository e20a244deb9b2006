import { Context, Effect, Layer } from "effect"
import { MachineId, Snowflake } from "effect/cluster"
import { SqlClient } from "effect/sql"

/** The messages that actors keep until they are done, with what was answered to them. */
export class Mailboxes extends Context.Service<Mailboxes, {
  /** Forgets those that were done, of before that instant; answers how many there were. */
  readonly purge: (beforeMs: number) => Effect.Effect<number>
}>()("longwave/engine/store/Mailboxes") {
  static readonly layer = Layer.effect(Mailboxes, Effect.map(SqlClient.SqlClient, (sql) => Mailboxes.of({
    purge: Effect.fn("Mailboxes.purge")(function*(beforeMs) {
      const [there] = yield* sql<{ there: boolean }>`SELECT to_regclass('cluster_messages') IS NOT NULL AND to_regclass('cluster_replies') IS NOT NULL AS there`
      if (!there!.there) return 0
      const bound = Snowflake.make({ machineId: MachineId.make(0), sequence: 0, timestamp: beforeMs })
      // What interrupted a message goes with it: it has the message's own number.
      const gone = yield* sql`
        WITH done AS (SELECT request_id FROM cluster_messages WHERE processed AND id < ${bound} AND id = request_id),
          replies AS (DELETE FROM cluster_replies WHERE request_id IN (SELECT request_id FROM done))
        DELETE FROM cluster_messages WHERE request_id IN (SELECT request_id FROM done) RETURNING id`
      return gone.length
    }, Effect.orDie)
  })))
}
