import { PgClient } from "@effect/sql-pg"
import { Effect, type Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { pendingHandleDays } from "../../../engine/rules/agents/limits.ts"

/** Adds registrations that nobody claims, and answers when they have expired: later than adding them takes. */
export const addStaleRegistrations = (url: Redacted.Redacted, count: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const expireMs = Date.now() + 2_000 + count / 5
    yield* sql`
      INSERT INTO agents (id, handle, persona, status, requested_scopes, owner_email_verified, created_at, claim_expires_at)
      SELECT 'agt_7' || lpad(n::text, 25, '0'), 'stale-' || n, jsonb_build_object('handle', 'stale-' || n, 'displayName', 'Nobody', 'role', 'hybrid'), 'pending', '[]', false,
        now() - ${`${pendingHandleDays + 40} days`}::interval, to_timestamp(${expireMs / 1_000}::float8) - ${`${pendingHandleDays} days`}::interval
      FROM generate_series(1, ${count}::int) n`
    return expireMs
  }).pipe(Effect.provide(PgClient.layer({ url })))

export const makeFreeingDue = (url: Redacted.Redacted) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`UPDATE jobs SET run_at = now() WHERE kind = 'agents.free_stale_registrations' AND state = 'waiting'`
  ).pipe(Effect.provide(PgClient.layer({ url })))

export const countStaleRegistrations = (url: Redacted.Redacted) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ left: number }>`SELECT count(*)::int AS left FROM agents WHERE id LIKE 'agt_70%'`,
      ([found]) => found!.left
    )
  ).pipe(Effect.provide(PgClient.layer({ url })))
