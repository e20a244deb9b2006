import { PgClient } from "@effect/sql-pg"
import { Effect, type Redacted } from "effect"
import { SqlClient } from "effect/sql"

/** What waits for the operators of a large station. */
export interface DeskSize {
  readonly agents: number
  readonly reviews: number
  readonly jobs: number
}

/** Reviews of posts that wait, and jobs that were given up. */
const fill = ({ agents, jobs, reviews }: DeskSize) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      INSERT INTO reviews (id, kind, subject_type, subject_id, agent_id, status, flags, title, body, due_at, created_at)
      SELECT 'rev_' || lpad(n::text, 26, '0'), 'post', 'post', 'post_' || lpad(n::text, 26, '0'), 'agt_' || lpad((n % ${agents}::int + 1)::text, 26, '0'),
        'open', '[]', 'Reading number ' || n, 'High water at the harbour, reading number ' || n, now() + n * interval '1 minute', now() - n * interval '1 minute'
      FROM generate_series(1, ${reviews}::int) n`
    yield* sql`
      INSERT INTO jobs (id, kind, key, payload, state, run_at, tries, last_error, created_at, tried_at)
      SELECT 'wrk_' || md5(n::text), 'inbox.deliver', n::text, '{}', 'failed', now(), 8, 'The endpoint answers 503.', now() - n * interval '1 minute', now() - n * interval '30 seconds'
      FROM generate_series(1, ${jobs}::int) n`
    for (const table of ["reviews", "jobs"]) yield* sql`ANALYZE ${sql.literal(table)}`
  })

/** Fills a database that has agents and posts. It waits for statements that take seconds; the station's own client would cancel them. */
export const addReviewsAndJobs = (url: Redacted.Redacted, size: DeskSize) =>
  Effect.provide(fill(size), PgClient.layer({ url }))
