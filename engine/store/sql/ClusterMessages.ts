import { Context, Effect, Layer, Schema } from "effect"
import { MachineId, Snowflake } from "effect/cluster"
import { SqlClient } from "effect/sql"
import { purgeRows } from "../../rules/runtime/limits.ts"
import { row } from "./rows.ts"

const existence = row(Schema.Struct({ there: Schema.Boolean }))

/** Messages that actors persist until they are processed, with their replies. */
export class ClusterMessages extends Context.Service<ClusterMessages>()("longwave/engine/store/ClusterMessages", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    /**
     * Deletes what keeps these actors alive in a station of one process. Several processes place them elsewhere: there, nobody would ever take the message,
     * and each look at the store would find it.
     */
    forgetKeptAlive: Effect.fnUntraced(function* (entityType: string, group: string) {
      const tables = yield* existence(sql`SELECT to_regclass('cluster_messages') IS NOT NULL AS there`)
      if (!tables!.there) return
      yield* sql`DELETE FROM cluster_messages WHERE entity_type = ${entityType} AND tag = 'Cluster/Entity/keepAlive' AND shard_id LIKE ${`${group}:%`}`
    }, Effect.orDie),
    /** Deletes messages processed before that instant, a batch of them with what interrupted them; returns their number. */
    purge: Effect.fnUntraced(function* (beforeMs: number) {
      const tables = yield* existence(
        sql`SELECT to_regclass('cluster_messages') IS NOT NULL AND to_regclass('cluster_replies') IS NOT NULL AS there`
      )
      if (!tables!.there) return 0
      const bound = Snowflake.make({ machineId: MachineId.make(0), sequence: 0, timestamp: beforeMs })
      // An interrupt is deleted with its message: it has the message's id.
      const gone = yield* sql`
        WITH done AS (SELECT request_id FROM cluster_messages WHERE processed AND id < ${bound} AND id = request_id LIMIT ${purgeRows}),
          replies AS (DELETE FROM cluster_replies WHERE request_id IN (SELECT request_id FROM done))
        DELETE FROM cluster_messages WHERE request_id IN (SELECT request_id FROM done) RETURNING id`
      return gone.length
    }, Effect.orDie)
  }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
