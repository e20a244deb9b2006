import { PgClient } from "@effect/sql-pg"
import { Effect, type Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { pendingHandleDays } from "../../engine/rules/agents/limits.ts"

/** Adds registrations that nobody claimed in time, and makes the job that frees them due. */
export const addStaleRegistrations = (url: Redacted.Redacted, count: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      INSERT INTO agents (id, handle, persona, status, requested_scopes, owner_email_verified, created_at, claim_expires_at)
      SELECT 'agt_7' || lpad(n::text, 25, '0'), 'stale-' || n, jsonb_build_object('handle', 'stale-' || n, 'displayName', 'Nobody', 'role', 'hybrid'), 'pending', '[]', false,
        now() - ${`${pendingHandleDays + 40} days`}::interval, now() - ${`${pendingHandleDays + 1} days`}::interval - n * interval '1 second'
      FROM generate_series(1, ${count}::int) n`
    yield* sql`UPDATE jobs SET run_at = now() WHERE kind = 'agents.free_stale_registrations' AND state = 'waiting'`
  }).pipe(Effect.provide(PgClient.layer({ url })))

export const countStaleRegistrations = (url: Redacted.Redacted) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ left: number }>`SELECT count(*)::int AS left FROM agents WHERE id LIKE 'agt_70%'`,
      ([found]) => found!.left
    )
  ).pipe(Effect.provide(PgClient.layer({ url })))
