import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, type Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { defaultGrid } from "../../../engine/rules/time/WeekSchedule.ts"
import { databaseAt } from "../../../engine/store/sql/Database.ts"
import { Tracks } from "../../../engine/store/music/Tracks.ts"

const batch = 50_000
const genres = [...new Set(defaultGrid.flatMap((block) => block.genres))]

/**
 * Numbered tracks, each with its own sound: a tenth never aired, the others at some time of the
 * half year before 2026, one in fifty held. Agents own up to a thousand consecutive tracks each, as whole albums are uploaded.
 */
const fill = (first: number, last: number, areRested: boolean) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`SET LOCAL maintenance_work_mem = '256MB'`
    // Rebuilding an index afterwards costs a tenth of maintaining it row by row.
    const indexes = yield* sql<{ indexname: string; indexdef: string }>`
    SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'tracks' AND indexname NOT IN (SELECT conname FROM pg_constraint)`
    for (const { indexname } of indexes) yield* sql`DROP INDEX ${sql(indexname)}`
    for (let from = first; from <= last; from += batch) {
      const to = Math.min(last, from + batch - 1)
      yield* sql`
      INSERT INTO assets (id, kind, length_samples, pcm_sha256, body)
      SELECT 'mas_' || lpad(n::text, 26, '0'), 'music', s, md5(n::text), jsonb_build_object('cue', jsonb_build_object('cueIn', 0, 'introEnd', 384000, 'segue', s - 192000, 'cueOut', s))
      FROM (SELECT n, (120 + n % 181) * 48000 AS s FROM generate_series(${from}::int, ${to}::int) n) numbered`
      yield* sql`
      INSERT INTO tracks (id, asset_id, title, artist, genre, category, is_instrumental, duration_sec, approval_status, source, agent_id, rotation_class, last_played_at, rested_until, created_at, updated_at)
      SELECT 'trk_' || lpad(n::text, 26, '0'), 'mas_' || lpad(n::text, 26, '0'), 'song ' || n, 'artist ' || n % 9973, (${JSON.stringify(genres)}::text::jsonb)->>(n % ${genres.length}), 'song', true, 120 + n % 181,
        CASE WHEN n % 50 = 0 THEN 'held' ELSE 'approved' END, CASE WHEN n % 4 = 0 THEN 'house' ELSE 'upload' END,
        CASE WHEN n % 4 <> 0 THEN 'agt_' || lpad((n % 9973)::text, 26, '0') END, CASE WHEN n % 4 = 0 THEN 'house' ELSE 'contributed' END,
        CASE WHEN n % 10 <> 0 THEN timestamptz '2025-07-01Z' + (n::bigint * 7919 % 15000000) * interval '1 second' END,
        CASE WHEN ${areRested} THEN now() + interval '1 year' END, now(), now()
      FROM generate_series(${from}::int, ${to}::int) n`
    }
    for (const { indexdef } of indexes) yield* sql`${sql.literal(indexdef)}`
  })

export const seededTrackId = (index: number): string => `trk_${String(index).padStart(26, "0")}`

/**
 * Adds tracks to a library. With `areRested`, a running station doesn't choose them, since there is no sound of them. It waits for statements that
 * take seconds; the station's own client would cancel them.
 */
export const addTracks = (
  url: Redacted.Redacted,
  first: number,
  last: number,
  { areRested = false }: { readonly areRested?: boolean } = {}
) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql.withTransaction(fill(first, last, areRested))
    yield* sql`VACUUM (ANALYZE) tracks`
    yield* sql`ANALYZE assets`
  }).pipe(Effect.provide(PgClient.layer({ url })))

export const libraryAt = (url: Redacted.Redacted) => Tracks.layer.pipe(Layer.provideMerge(databaseAt(url)))

/** The log's update of a track after it aired. */
export const recordAiring = (trackId: string, atMs: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql`UPDATE tracks SET play_count = play_count + 1, last_played_at = to_timestamp(${atMs}::float8 / 1000) WHERE id = ${trackId}`
  )

/** Work of the database to return the head of a class: pages, and whether it used the index made for that. */
export const measureHead = (rotationClass: string, limit: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ "QUERY PLAN": unknown }>`
  EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT t.id, a.cue
  FROM (SELECT * FROM tracks WHERE rotation_class = ${rotationClass} AND approval_status = 'approved' AND category IN ('song', 'instrumental')
      AND (rested_until IS NULL OR rested_until <= now()) ORDER BY last_played_at NULLS FIRST, id LIMIT ${limit}) t
  JOIN assets a ON a.id = t.asset_id`,
      ([row]) => {
        const said = JSON.stringify(row)
        const [, hit = "0", read = "0"] = /"Shared Hit Blocks":(\d+),"Shared Read Blocks":(\d+)/.exec(said) ?? []
        return {
          pages: Number(hit) + Number(read),
          byIndex: said.includes("tracks_rested") && !said.includes('"Seq Scan"')
        }
      }
    )
  )
