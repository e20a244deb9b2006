import { Context, Effect, Layer, Schema } from "effect"
import { MachineId, Snowflake } from "effect/cluster"
import { SqlClient } from "effect/sql"
import { row } from "./rows.ts"

const existence = row(Schema.Struct({ there: Schema.Boolean }))

/** The messages that actors keep until they are done, with what was answered to them. */
export class ClusterMessages extends Context.Service<ClusterMessages>()("longwave/engine/store/ClusterMessages", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    /** Forgets those that were done, of before that instant; answers how many there were. */
    purge: Effect.fn("Mailboxes.purge")(function* (beforeMs: number) {
      const tables = yield* existence(
        sql`SELECT to_regclass('cluster_messages') IS NOT NULL AND to_regclass('cluster_replies') IS NOT NULL AS there`
      )
      if (!tables!.there) return 0
      const bound = Snowflake.make({ machineId: MachineId.make(0), sequence: 0, timestamp: beforeMs })
      // What interrupted a message goes with it: it has the message's own number.
      const gone = yield* sql`
        WITH done AS (SELECT request_id FROM cluster_messages WHERE processed AND id < ${bound} AND id = request_id),
          replies AS (DELETE FROM cluster_replies WHERE request_id IN (SELECT request_id FROM done))
        DELETE FROM cluster_messages WHERE request_id IN (SELECT request_id FROM done) RETURNING id`
      return gone.length
    }, Effect.orDie)
  }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
