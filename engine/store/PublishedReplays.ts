import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { AssetId, ReplayId, SegmentId } from "../../schema/Ids.ts"
import { Replay } from "../../schema/Replay.ts"
import type { Synthetic } from "../../schema/Synthetic.ts"
import { type ReplayFilter, replayPages } from "./ReplayPages.ts"
import type { Page } from "./Writings.ts"

/** A recording, its sound, and what stands in its way. */
export interface ReplayRecord {
  readonly replay: Replay
  readonly assetId: AssetId
  readonly showTitle: string
  /** Whether players that take it in pieces can have it. */
  readonly packaged: boolean
  /** It was taken down or set aside, or has not been heard. */
  readonly held: boolean
  readonly synthetic: Synthetic
}

interface Row extends Omit<ReplayRecord, "replay"> {
  readonly body: object
  readonly airedAtMs: number | null
  readonly publishedAtMs: number | null
  readonly hidden: boolean
}

/** A recording that waits to be packaged. */
export interface Unpackaged {
  readonly id: ReplayId
  readonly assetId: AssetId
  readonly tries: number
}

const decode = Schema.decodeUnknownEffect(Replay)

/** What became of recorded panels since they were stitched: heard, published, hidden. Everybody's reads leave out what is hidden or held, from that moment on. */
export class PublishedReplays extends Context.Service<PublishedReplays, {
  /** Newest first; null when the cursor is unknown. */
  readonly list: (filter: ReplayFilter) => Effect.Effect<Page<ReplayRecord> | null>
  /** Null for what not everybody may hear. */
  readonly find: (id: string) => Effect.Effect<ReplayRecord | null>
  /** In any state, in the order in which they were made. */
  readonly listAny: (filter: ReplayFilter) => Effect.Effect<Page<ReplayRecord> | null>
  readonly findAny: (id: string) => Effect.Effect<ReplayRecord | null>
  readonly bySegment: (segmentId: string) => Effect.Effect<ReplayRecord | null>
  /** It was heard. False where it was published before, or there is no recording of it. */
  readonly publish: (segmentId: SegmentId, airedAtMs: number, nowMs: number) => Effect.Effect<boolean>
  readonly hide: (id: ReplayId, hidden: boolean, nowMs: number) => Effect.Effect<void>
  /** When something that feeds show has changed last, hidden ones included. */
  readonly changedAtMs: (showSlug: string | null) => Effect.Effect<number>
  /** Counted as a try, and nobody else's until then. */
  readonly leaseUnpackaged: (nowMs: number, untilMs: number) => Effect.Effect<Unpackaged | null>
  readonly postpone: (id: ReplayId, untilMs: number) => Effect.Effect<void>
  readonly markPackaged: (id: ReplayId, nowMs: number) => Effect.Effect<void>
}>()("longwave/engine/store/PublishedReplays") {
  static readonly layer = Layer.effect(PublishedReplays, Effect.map(SqlClient.SqlClient, (sql) => {
    const at = (ms: number) => sql`to_timestamp(${ms}::float8 / 1000)`
    const fromRow = Effect.fnUntraced(function*({ airedAtMs, body, hidden, publishedAtMs, ...rest }: Row) {
      return { ...rest, replay: new Replay({ ...yield* decode(body), airedAtMs, publishedAtMs, hidden }) }
    })
    const read = (rest: Statement.Fragment) => Effect.orDie(Effect.flatMap(sql<Row>`
      SELECT r.body, r.hidden, s.asset_id, (SELECT a.synthetic FROM assets a WHERE a.id = s.asset_id) AS synthetic, coalesce(sh.title, r.show_slug) AS show_title, r.packaged_at IS NOT NULL AS packaged, (s.status <> 'aired' OR s.rerun_hold) AS held,
        round(extract(epoch from r.aired_at) * 1000)::float8 AS aired_at_ms, round(extract(epoch from r.published_at) * 1000)::float8 AS published_at_ms
      FROM replays r JOIN segments s ON s.id = r.segment_id LEFT JOIN shows sh ON sh.slug = r.show_slug ${rest}`, (rows) => Effect.forEach(rows, fromRow)))
    const one = (rest: Statement.Fragment) => Effect.map(read(rest), (found) => found[0] ?? null)
    const open = sql`r.published_at IS NOT NULL AND NOT r.hidden AND s.status = 'aired' AND NOT s.rerun_hold`
    const page = replayPages(sql, { table: "replays", name: "r" }, read, ({ replay }) => replay.id)
    return PublishedReplays.of({
      list: page("published_at", open),
      find: (id) => one(sql`WHERE r.id = ${id} AND ${open}`),
      listAny: page("created_at", sql`true`),
      findAny: (id) => one(sql`WHERE r.id = ${id}`),
      bySegment: (segmentId) => one(sql`WHERE r.segment_id = ${segmentId}`),
      publish: (segmentId, airedAtMs, nowMs) => Effect.orDie(Effect.map(sql`
        UPDATE replays SET aired_at = ${at(airedAtMs)}, published_at = ${at(nowMs)}, changed_at = ${at(nowMs)} WHERE segment_id = ${segmentId} AND published_at IS NULL RETURNING id`, (rows) => rows.length > 0)),
      hide: (id, hidden, nowMs) => Effect.orDie(Effect.asVoid(sql`UPDATE replays SET hidden = ${hidden}, changed_at = ${at(nowMs)} WHERE id = ${id}`)),
      changedAtMs: (showSlug) => Effect.orDie(Effect.map(sql<{ ms: number | null }>`
        SELECT round(extract(epoch from max(greatest(r.changed_at, s.updated_at))) * 1000)::float8 AS ms FROM replays r JOIN segments s ON s.id = r.segment_id
        WHERE r.published_at IS NOT NULL ${showSlug === null ? sql`` : sql`AND r.show_slug = ${showSlug}`}`, (rows) => rows[0]?.ms ?? 0)),
      leaseUnpackaged: (nowMs, untilMs) => Effect.orDie(Effect.map(sql<Unpackaged>`
        UPDATE replays r SET package_after = ${at(untilMs)}, package_tries = package_tries + 1 FROM segments s WHERE s.id = r.segment_id AND r.id = (
          SELECT q.id FROM replays q JOIN segments t ON t.id = q.segment_id WHERE q.packaged_at IS NULL AND q.package_after <= ${at(nowMs)} AND t.asset_id IS NOT NULL ORDER BY q.package_after, q.id LIMIT 1 FOR UPDATE OF q SKIP LOCKED
        ) RETURNING r.id, s.asset_id, r.package_tries AS tries`, (rows) => rows[0] ?? null)),
      postpone: (id, untilMs) => Effect.orDie(Effect.asVoid(sql`UPDATE replays SET package_after = ${at(untilMs)} WHERE id = ${id}`)),
      markPackaged: (id, nowMs) => Effect.orDie(Effect.asVoid(sql`UPDATE replays SET packaged_at = ${at(nowMs)} WHERE id = ${id}`))
    })
  }))
}
