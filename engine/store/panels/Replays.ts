import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { AssetId, type ReplayId, type SegmentId, type SessionId } from "../../../schema/Ids.ts"
import { Replay } from "../../../schema/panels/Replay.ts"
import type { Paging, Page } from "../sql/page.ts"
import { Synthetic } from "../../../schema/Synthetic.ts"
import { at, ms } from "../sql/instants.ts"
import { row, rows, run, hasChanged } from "../sql/rows.ts"

export interface ReplayFilter extends Paging {
  readonly showSlug: string | null
}
/** Pages of recordings and clips, newest first by one of their times. Null if the cursor is unknown. `read` refers to the table as `name`. */
export const replayPages = <R>(
  sql: SqlClient.SqlClient,
  from: { readonly table: "replays" | "clips"; readonly name: string },
  read: (rest: Statement.Fragment) => Effect.Effect<ReadonlyArray<R>>,
  idOf: (record: R) => string
) => {
  const [table, name] = [sql.literal(from.table), sql.literal(from.name)]
  return (column: "published_at" | "created_at", which: Statement.Fragment) =>
    Effect.fnUntraced(function* ({ cursor, limit, showSlug }: ReplayFilter): Effect.fn.Return<Page<R> | null> {
      const by = sql.literal(column)
      if (
        cursor !== null &&
        (yield* Effect.orDie(sql`SELECT 1 FROM ${table} WHERE id = ${cursor} AND ${by} IS NOT NULL`)).length === 0
      )
        return null
      const records = yield* read(
        sql`WHERE ${sql.and([
          which,
          ...(showSlug === null ? [] : [sql`${name}.show_slug = ${showSlug}`]),
          ...(cursor === null
            ? []
            : [sql`(${name}.${by}, ${name}.id) < (SELECT l.${by}, l.id FROM ${table} l WHERE l.id = ${cursor})`])
        ])} ORDER BY ${name}.${by} DESC, ${name}.id DESC LIMIT ${limit + 1}`
      )
      return { records: records.slice(0, limit), next: records.length > limit ? idOf(records[limit - 1]!) : null }
    })
}
/** A recording with its later status. */
const Recorded = Schema.Struct({
  body: Replay,
  airedAtMs: Schema.NullOr(Schema.Finite),
  publishedAtMs: Schema.NullOr(Schema.Finite),
  hidden: Schema.Boolean
})
const replayOf = ({ airedAtMs, body, hidden, publishedAtMs }: typeof Recorded.Type) =>
  new Replay({ ...body, airedAtMs, publishedAtMs, hidden })
const recordedRow = row(Recorded)
const encode = Schema.encodeEffect(Replay)
/** Recordings of panels, published or not. */
export class ReplaysWriter extends Context.Service<ReplaysWriter>()("longwave/engine/store/ReplaysWriter", {
  make: Effect.map(SqlClient.SqlClient, (sql) => {
    return {
      /** Idempotent per session. */
      save: Effect.fnUntraced(function* (replay: Replay, atMs: number) {
        yield* run(sql`
          INSERT INTO replays (id, session_id, segment_id, show_slug, aired_at, published_at, hidden, body, created_at)
          VALUES (${replay.id}, ${replay.sessionId}, ${replay.segmentId}, ${replay.showSlug}, ${at(replay.airedAtMs)}, ${at(replay.publishedAtMs)}, ${replay.hidden},
            ${JSON.stringify(yield* encode(replay))}::text::jsonb, ${at(atMs)}) ON CONFLICT DO NOTHING`)
      }, Effect.orDie),
      findBySession: (sessionId: SessionId) =>
        Effect.map(
          recordedRow(sql`
          SELECT body, hidden, ${ms("aired_at")} AS aired_at_ms, ${ms("published_at")} AS published_at_ms
          FROM replays WHERE session_id = ${sessionId}`),
          (found) => (found === null ? null : replayOf(found))
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class Replays extends Context.Service<Replays, Pick<ReplaysWriter["Service"], "findBySession">>()(
  "longwave/engine/store/Replays"
) {
  static readonly layer = Layer.effect(this, ReplaysWriter).pipe(Layer.provideMerge(ReplaysWriter.layer))
}

/** A recording's sound, and what prevents its publication. */
const Published = Schema.Struct({
  assetId: AssetId,
  showTitle: Schema.String,
  /** Whether its segmented version for players exists. */
  packaged: Schema.Boolean,
  /** Taken down, held, or not aired yet. */
  held: Schema.Boolean,
  synthetic: Synthetic
})
export type ReplayRecord = typeof Published.Type & { readonly replay: Replay }

const Row = Schema.Struct({ ...Recorded.fields, ...Published.fields })
const fromRow = ({ airedAtMs, body, hidden, publishedAtMs, ...rest }: typeof Row.Type): ReplayRecord => ({
  ...rest,
  replay: replayOf({ airedAtMs, body, hidden, publishedAtMs })
})
const replays = rows(Row)
const changedRow = row(Schema.Struct({ ms: Schema.NullOr(Schema.Finite) }))

/** Status of recordings: aired, published, hidden. Public reads leave out hidden and held ones at once. */
export class PublishedReplaysWriter extends Context.Service<PublishedReplaysWriter>()(
  "longwave/engine/store/PublishedReplaysWriter",
  {
    make: Effect.map(SqlClient.SqlClient, (sql) => {
      const read = (rest: Statement.Fragment) =>
        Effect.map(
          replays(sql`
      SELECT r.body, r.hidden, s.asset_id, (SELECT a.synthetic FROM assets a WHERE a.id = s.asset_id) AS synthetic, coalesce(sh.title, r.show_slug) AS show_title, r.packaged_at IS NOT NULL AS packaged, (s.status <> 'aired' OR s.rerun_hold) AS held,
        ${ms("r.aired_at")} AS aired_at_ms, ${ms("r.published_at")} AS published_at_ms
      FROM replays r JOIN segments s ON s.id = r.segment_id LEFT JOIN shows sh ON sh.slug = r.show_slug ${rest}`),
          (found) => found.map(fromRow)
        )
      const findOne = (rest: Statement.Fragment) => Effect.map(read(rest), (found) => found[0] ?? null)
      const open = sql`r.published_at IS NOT NULL AND NOT r.hidden AND s.status = 'aired' AND NOT s.rerun_hold`
      const page = replayPages(sql, { table: "replays", name: "r" }, read, ({ replay }) => replay.id)
      return {
        /** Newest first; null when the cursor is unknown. */
        list: page("published_at", open),
        /** Null if it isn't public. */
        find: (id: string) => findOne(sql`WHERE r.id = ${id} AND ${open}`),
        /** In any state, newest first by creation. */
        listAny: page("created_at", sql`true`),
        findAny: (id: string) => findOne(sql`WHERE r.id = ${id}`),
        findBySegment: (segmentId: string) => findOne(sql`WHERE r.segment_id = ${segmentId}`),
        /** Publishes after the airing. False if it was published before or has no recording. */
        publish: (segmentId: SegmentId, airedAtMs: number, nowMs: number) =>
          hasChanged(sql`
        UPDATE replays SET aired_at = ${at(airedAtMs)}, published_at = ${at(nowMs)}, changed_at = ${at(nowMs)} WHERE segment_id = ${segmentId} AND published_at IS NULL RETURNING id`),
        hide: (id: ReplayId, hidden: boolean, nowMs: number) =>
          run(sql`UPDATE replays SET hidden = ${hidden}, changed_at = ${at(nowMs)} WHERE id = ${id}`),
        /** Time of the last change visible in feeds, including hidings. */
        findChangedAtMs: (showSlug: string | null) =>
          Effect.map(
            changedRow(sql`
        SELECT ${ms("max(greatest(r.changed_at, s.updated_at))")} AS ms FROM replays r JOIN segments s ON s.id = r.segment_id
        WHERE r.published_at IS NOT NULL ${showSlug === null ? sql`` : sql`AND r.show_slug = ${showSlug}`}`),
            (found) => found?.ms ?? 0
          ),
        markPackaged: (id: ReplayId, nowMs: number) =>
          run(sql`UPDATE replays SET packaged_at = ${at(nowMs)} WHERE id = ${id}`)
      }
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}

export class PublishedReplays extends Context.Service<
  PublishedReplays,
  Pick<PublishedReplaysWriter["Service"], "list" | "find" | "listAny" | "findAny" | "findBySegment" | "findChangedAtMs">
>()("longwave/engine/store/PublishedReplays") {
  static readonly layer = Layer.effect(this, PublishedReplaysWriter).pipe(
    Layer.provideMerge(PublishedReplaysWriter.layer)
  )
}
