import { Context, Effect, Layer, Redacted, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { airLeaseMs } from "../../rules/air/limits.ts"
import { StationConfig } from "../../runtime/Config.ts"
import { sessionAt } from "../sql/Database.ts"
import { ms } from "../sql/instants.ts"
import { onlyRow, row, run } from "../sql/rows.ts"
import { FencesWriter } from "./Fences.ts"

/** The process that has the air, since when (ms since 1970) and why. */
export const AirHolder = Schema.Struct({
  owner: Schema.NullOr(Schema.String),
  sinceMs: Schema.NullOr(Schema.Finite),
  reason: Schema.NullOr(Schema.String),
  fence: Schema.Finite
})
export type AirHolder = typeof AirHolder.Type

/** What a look at the lease found. `formerSilentMs`: it took the air from an owner that had not renewed for so long; null if it took nothing. */
const lookRow = onlyRow(Schema.Struct({ ...AirHolder.fields, formerSilentMs: Schema.NullOr(Schema.Finite) }))
const sessionRow = onlyRow(Schema.Struct({ pid: Schema.Int }))
/** Any number, but another than that of the sole station. */
const lockId = 7_151_624
const foundRow = row(AirHolder)

/**
 * The lease of the air. One process holds it and renews it; when it ends, the first that asks takes it. Times are the database's. The lease decides
 * who plays; that an earlier owner writes nothing any more is up to the fencing token.
 */
export class AirLease extends Context.Service<AirLease>()("longwave/engine/store/AirLease", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const fences = yield* FencesWriter
    const until = sql.literal(`now() + interval '${airLeaseMs} milliseconds'`)
    const columns = sql.literal("air_owner AS owner, air_reason AS reason, fence::float8 AS fence")
    const since = ms("air_since")
    const isLocked = (by: Statement.Fragment) =>
      sql`EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = ${lockId} AND granted AND ${by})`
    return {
      /**
       * Renews the lease, or takes it if it is free, and returns its holder. The owner's session also holds a lock, which ends with its process:
       * a killed owner is replaced before its lease has ended. `isSettled`: this session is as old as a lease. Before, after an outage of the store, an
       * owner that lives has the time to renew. A process that takes it again after nobody else had it keeps its first token in `air_taken_fence`; a former
       * version of the station changes `air_since` alone, by which its turn shows.
       */
      hold: Effect.fnUntraced(function* (name: string, now: { readonly isSettled: boolean }) {
        yield* fences.stationId
        return yield* lookRow(sql`
          WITH locked AS MATERIALIZED (
            SELECT air_owner AS former, (extract(epoch FROM now() - air_until) * 1000)::float8 + ${airLeaseMs}::float8 AS silent_ms,
              CASE WHEN air_owner <> ${name} THEN false WHEN ${isLocked(sql`pid = pg_backend_pid()`)} THEN true ELSE pg_try_advisory_lock(${lockId}) END AS is_mine
            FROM stations),
          taken AS (
            UPDATE stations SET air_until = ${until}, air_owner = ${name}, air_locked = (SELECT is_mine FROM locked),
              fence = CASE WHEN air_owner = ${name} THEN fence ELSE fence + 1 END,
              air_since = CASE WHEN air_owner = ${name} THEN air_since ELSE now() END,
              air_taker = CASE WHEN air_owner = ${name} THEN air_taker ELSE ${name} END,
              air_taken_since = CASE WHEN air_owner = ${name} THEN air_taken_since ELSE now() END,
              air_taken_fence = CASE WHEN air_owner = ${name} OR (air_taker = ${name} AND air_taken_since = air_since) THEN air_taken_fence ELSE fence + 1 END,
              air_reason = CASE WHEN air_owner = ${name} THEN air_reason WHEN air_owner IS NULL THEN 'No process had the air.'
                WHEN air_until <= now() THEN 'The lease of ' || air_owner || ' had ended.'
                ELSE air_owner || ' was gone.' END
            WHERE air_owner IS NULL OR air_owner = ${name}
              OR (${now.isSettled}::boolean AND (air_until <= now() OR (air_locked AND NOT ${isLocked(sql`true`)})))
            RETURNING ${columns}, ${since} AS since_ms,
              (SELECT CASE WHEN former IS DISTINCT FROM ${name} AND silent_ms IS NOT NULL THEN greatest(0, silent_ms) END FROM locked) AS former_silent_ms)
          SELECT * FROM taken
          UNION ALL SELECT ${columns}, ${since} AS since_ms, NULL FROM stations WHERE NOT EXISTS (SELECT FROM taken)`)
      }),
      /** Gives the lease back, so that another process takes it at its next look, and notes as its last renewal that it was on the air until now. */
      release: (name: string) =>
        run(
          sql`WITH freed AS MATERIALIZED (SELECT pg_advisory_unlock_all()) UPDATE stations SET air_owner = NULL, air_until = ${until}, air_locked = false FROM freed WHERE air_owner = ${name}`
        ),
      /** Gives back the lock of an owner that has lost the air. */
      unlock: run(sql`SELECT pg_advisory_unlock_all()`),
      /** Names this session: another name means that the former one broke. */
      session: Effect.map(sessionRow(sql`SELECT pg_backend_pid() AS pid`), ({ pid }) => pid),
      /** The holder of the air; null before the station's first start. */
      find: foundRow(sql`SELECT ${columns}, ${since} AS since_ms FROM stations`)
    }
  })
}) {
  /** In a session of its own, which ends with this process. */
  static readonly layer: Layer.Layer<AirLease, never, SqlClient.SqlClient | StationConfig> = Layer.unwrap(
    Effect.map(StationConfig, ({ databaseUrl }) => {
      const lease = Layer.effect(this, this.make).pipe(Layer.provide(FencesWriter.layer))
      return databaseUrl === null
        ? lease
        : lease.pipe(Layer.provide(Layer.orDie(sessionAt(Redacted.make(databaseUrl)))))
    })
  )
}
