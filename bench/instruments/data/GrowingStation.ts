import { PgClient } from "@effect/sql-pg"
import { Effect, type Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { sampleOf } from "../../../schema/time/Samples.ts"

/** First day of the simulation. */
export const startMs = Date.UTC(2027, 0, 1)
export const stationId = "longwave"
const agents = 500
export const logged = { rowMs: 16_000, measuredMs: 30_000 } as const

/** Rows of a busy day, by table. */
export const perDay = {
  outbox: 5_000,
  mails: 500,
  meters: 1_000,
  idempotency_keys: 2_000,
  points: 1_000,
  inbox_items: 1_000,
  song_requests: 500,
  airings: 500,
  listeners: 1_000,
  track_votes: 1_000
} as const
export type Grown = keyof typeof perDay
export const grown = Object.keys(perDay) as ReadonlyArray<Grown>

/** Rows of some days: `n` is their number over all days, `at` their time. */
const statements: Record<Grown, (agent: string, track: string) => string> = {
  outbox: () =>
    `INSERT INTO outbox (id, at, event, sequence) SELECT 'evt_' || n, at, jsonb_build_object('_tag', 'OpsAlerted', 'what', 'purge_failed', 'detail', repeat('x', 200)), n FROM rows`,
  mails: () =>
    `INSERT INTO mails (id, at, kind, way, status) SELECT 'mail_' || n, at, 'claim_code', 'smtp', 'sent' FROM rows`,
  meters: () =>
    `INSERT INTO meters (name, empty_at_ms, day, sum) SELECT 'claims:guest_' || n, extract(epoch from at) * 1000, floor(extract(epoch from at) / 86400)::int, 1 FROM rows`,
  idempotency_keys: () =>
    `INSERT INTO idempotency_keys (scope_sha256, body_sha256, state, is_secret, created_at) SELECT md5(n::text), md5(n::text), 'done', false, at FROM rows`,
  points: (agent) =>
    `INSERT INTO points (agent_id, code, subject_id, points, at) SELECT ${agent}, 'listener_like', n::text, 2, at FROM rows`,
  inbox_items: (agent) =>
    `INSERT INTO inbox_items (agent_id, id, kind, subject_type, subject_id, last_sequence, created_at, expires_at) SELECT ${agent}, 'itm_' || n, 'listener_msg', 'interaction', n::text, n, at, at + interval '30 days' FROM rows`,
  song_requests: (_, track) =>
    `INSERT INTO song_requests (id, track_id, listener_label, source, acknowledged, status, created_at, expires_at, updated_at) SELECT 'sreq_' || lpad(n::text, 26, '0'), ${track}, 'a listener', 'api', true, 'fulfilled', at, at, at FROM rows`,
  airings: () =>
    `INSERT INTO airings (id, subject, subject_id, state, ended_at, changed_at, updated_at) SELECT 'sreq_' || lpad(n::text, 26, '0'), 'song_request', 'sreq_' || lpad(n::text, 26, '0'), 'aired', at, at, at FROM rows`,
  listeners: () =>
    `INSERT INTO listeners (id, created_at, seen_at) SELECT 'lsn_' || lpad(n::text, 26, '0'), at, at FROM rows`,
  track_votes: (_, track) =>
    `INSERT INTO track_votes (track_id, listener_id, action, counted, at) SELECT ${track}, 'lsn_' || lpad(n::text, 26, '0'), 'like', true, at FROM rows`
}

const numberRows = (perDayRows: number, fromDay: number, toDay: number) => {
  const [first, last] = [Math.floor(fromDay * perDayRows) + 1, Math.floor(toDay * perDayRows)]
  return `WITH rows AS (SELECT n, to_timestamp(${startMs / 1_000} + n * ${86_400 / perDayRows}::float8) AS at FROM generate_series(${first}, ${last}) n)`
}

/** Adds the rows of these days. It waits for statements that take seconds; the station's own client would cancel them. */
export const addDays = (
  url: Redacted.Redacted,
  { scale, tracks }: { readonly scale: number; readonly tracks: number },
  fromDay: number,
  toDay: number
) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    for (const table of grown)
      yield* sql.unsafe(
        `${numberRows(perDay[table] / scale, fromDay, toDay)} ${statements[table](`'agt_' || n % ${agents}`, `'trk_' || lpad((n % ${tracks} + 1)::text, 26, '0')`)}`
      )
    yield* sql`
      INSERT INTO outbox_readers (name, sequence) SELECT 'bench', max(sequence) FROM outbox ON CONFLICT (name) DO UPDATE SET sequence = excluded.sequence`
  }).pipe(Effect.provide(PgClient.layer({ url })))

/** Extends the as-run log to this many rows, with hourly roots; an empty one begins at `firstMs`. The hashes are invented: neither appending nor sealing reads older rows. */
export const addAsRun = (url: Redacted.Redacted, rows: number, firstMs = startMs) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rowSamples = logged.rowMs * 48
    yield* sql`
      INSERT INTO as_run (station_id, seq, fence, item_id, kind, role, title, track_id, asset_id, first_sample, last_sample, outcome, text, prev_hash, hash, signature)
      SELECT ${stationId}, seq, 1, 'itm_' || seq, 'music', 'music', 'song', 'trk_' || lpad((seq % 200 + 1)::text, 26, '0'), 'mas_' || seq % 200, first, first + ${rowSamples}::bigint - 1, 'complete',
        repeat('x', 400), md5(seq::text), md5((seq + 1)::text), repeat('s', 86)
      FROM (
        SELECT head.seq + n AS seq, head.sample + (n - 1) * ${rowSamples}::bigint AS first
        FROM (SELECT coalesce(max(seq), 0) AS seq, coalesce(max(last_sample) + 1, ${sampleOf(firstMs)}::bigint) AS sample FROM as_run WHERE station_id = ${stationId}) head,
          generate_series(1, greatest(0, ${rows}::bigint - head.seq)) n
      ) numbered`
    yield* sql`
      INSERT INTO as_run_roots (station_id, hour_ms, first_seq, last_seq, root, signature)
      SELECT ${stationId}, hour, min(seq), max(seq), '', '' FROM (
        SELECT seq, last_sample / 48 / 3600000 * 3600000 AS hour FROM as_run
        WHERE seq > coalesce((SELECT max(last_seq) FROM as_run_roots), 0)
      ) ended WHERE hour < (SELECT max(last_sample) / 48 / 3600000 * 3600000 FROM as_run) GROUP BY hour`
    yield* sql`VACUUM (ANALYZE) as_run`
  }).pipe(Effect.provide(PgClient.layer({ url })))

/** Says that the plays of the whole log are counted, as a station does that wrote the log itself: it would begin to count them. */
export const skipCountOfPlays = (url: Redacted.Redacted) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql`INSERT INTO track_plays_counted (station_id, seq) SELECT ${stationId}, max(seq) FROM as_run ON CONFLICT (station_id) DO UPDATE SET seq = excluded.seq`
  ).pipe(Effect.provide(PgClient.layer({ url })))

/** Anchor of all times: one row by its key, from a table that doesn't grow. */
export const anchor = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`SELECT id FROM tracks WHERE id = 'trk_00000000000000000000000001'`
)

/** Rows and size of each table that grows with traffic, and of the totals. */
export const sizes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const found = new Map<string, { readonly rows: number; readonly mib: number }>()
  for (const table of [...grown, "point_totals", "track_totals"]) {
    yield* sql`ANALYZE ${sql.literal(table)}`
    const [row] = yield* sql<{
      rows: number
      mib: number
    }>`SELECT count(*)::float8 AS rows, pg_total_relation_size(${table}::regclass) / 1048576.0::float8 AS mib FROM ${sql.literal(table)}`
    found.set(table, row!)
  }
  return found
})

/** The work of autovacuum on a real station. */
export const vacuum = (url: Redacted.Redacted) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`VACUUM ${sql.literal(grown.join(", "))}`).pipe(
    Effect.provide(PgClient.layer({ url }))
  )

/** The position of the newest event. */
export const lastEvent = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql<{ at: number }>`SELECT max(position)::float8 AS at FROM outbox`, ([found]) => found!.at)
)

/** Votes, requests and points of tables and totals together, counted plays, and the rows of the as-run log. */
export const counted = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<{ likes: number; requests: number; points: number; plays: number; logged: number }>`
    SELECT ((SELECT count(*) FROM track_votes) + (SELECT coalesce(sum(count), 0) FROM track_totals WHERE code = 'like'))::float8 AS likes,
      ((SELECT count(*) FROM song_requests) + (SELECT coalesce(sum(count), 0) FROM track_totals WHERE code = 'request'))::float8 AS requests,
      ((SELECT count(*) FROM points) + (SELECT coalesce(sum(count), 0) FROM point_totals))::float8 AS points,
      (SELECT sum(count) FROM track_totals WHERE code = 'play')::float8 AS plays, (SELECT count(*) FROM as_run)::float8 AS logged`,
    ([found]) => found!
  )
)
