import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { ClipId } from "../../schema/Ids.ts"
import { Clip } from "../../schema/Replay.ts"
import type { Synthetic } from "../../schema/Synthetic.ts"
import { type ReplayFilter, replayPages } from "./ReplayPages.ts"
import type { Page } from "./Writings.ts"

/** A clip and the picture of whoever is heard first in it. */
export interface ClipRecord {
  readonly clip: Clip
  readonly avatarPath: string | null
  readonly synthetic: Synthetic
}

interface Row {
  readonly body: object
  readonly status: Clip["status"]
  readonly publishedAtMs: number | null
  readonly hidden: boolean
  readonly avatarPath: string | null
  readonly synthetic: Synthetic
}

/** Somebody who liked what was heard at a moment. Who, is a hash. */
interface LikeRow {
  readonly liker: string
  readonly atSec: number
}

const encode = Schema.encodeEffect(Clip)
const decode = Schema.decodeUnknownEffect(Clip)

/** Clips, from the wish to the sound; and what listeners liked, from which the station chooses its own. */
export class Clips extends Context.Service<Clips, {
  /** Saves it, or finds what the same command saved before. */
  readonly add: (clip: Clip, commandKey: string) => Effect.Effect<{ readonly clip: Clip; readonly repeated: boolean }>
  /** Newest first, without what is hidden or held, itself or where it comes from; null when the cursor is unknown. */
  readonly list: (filter: ReplayFilter) => Effect.Effect<Page<ClipRecord> | null>
  readonly listAny: (filter: ReplayFilter) => Effect.Effect<Page<ClipRecord> | null>
  readonly findAny: (id: string) => Effect.Effect<ClipRecord | null>
  readonly change: (id: ClipId, to: { readonly title: string; readonly hidden: boolean }) => Effect.Effect<void>
  /** One that waits to be cut, and how often it was tried; nobody else's until then. */
  readonly lease: (nowMs: number, untilMs: number) => Effect.Effect<{ readonly clip: Clip; readonly tries: number } | null>
  readonly postpone: (id: ClipId, untilMs: number) => Effect.Effect<void>
  readonly cut: (id: ClipId, durationSec: number, nowMs: number) => Effect.Effect<void>
  readonly fail: (id: ClipId, reason: string) => Effect.Effect<void>
  /** Only of what is kept as a recording. */
  readonly like: (segmentId: string, liker: string, atSec: number) => Effect.Effect<void>
  /** All of it, which nobody needs afterwards. */
  readonly takeLikes: (segmentId: string) => Effect.Effect<ReadonlyArray<LikeRow>>
}>()("longwave/engine/store/Clips") {
  static readonly layer = Layer.effect(Clips, Effect.map(SqlClient.SqlClient, (sql) => {
    const at = (ms: number) => sql`to_timestamp(${ms}::float8 / 1000)`
    const fromRow = Effect.fnUntraced(function*({ avatarPath, body, hidden, publishedAtMs, status, synthetic }: Row) {
      return { clip: new Clip({ ...yield* decode(body), status, publishedAtMs, hidden }), avatarPath, synthetic }
    })
    const columns = sql.literal("c.body, c.status, c.hidden, round(extract(epoch from c.published_at) * 1000)::float8 AS published_at_ms")
    const read = (rest: Statement.Fragment) => Effect.orDie(Effect.flatMap(sql<Row>`
      SELECT ${columns}, a.avatar_path, (SELECT sound.synthetic FROM assets sound WHERE sound.id = c.asset_id) AS synthetic FROM clips c JOIN segments s ON s.id = c.segment_id LEFT JOIN replays r ON r.id = c.replay_id
      LEFT JOIN agents a ON a.handle = c.body->'participants'->0->>'handle' ${rest}`, (rows) => Effect.forEach(rows, fromRow)))
    const page = replayPages(sql, { table: "clips", name: "c" }, read, ({ clip }) => clip.id)
    const patch = (id: ClipId, fields: object, rest: Statement.Fragment) => Effect.orDie(Effect.asVoid(sql`UPDATE clips SET body = body || ${JSON.stringify(fields)}::text::jsonb, ${rest} WHERE id = ${id}`))
    return Clips.of({
      add: Effect.fn("Clips.add")(function*(clip, commandKey) {
        const body = JSON.stringify(yield* encode(clip))
        const made = yield* sql`
          INSERT INTO clips (id, command_key, replay_id, session_id, segment_id, show_slug, asset_id, status, wakes_at, hidden, body, created_at)
          VALUES (${clip.id}, ${commandKey}, ${clip.replayId}, ${clip.sessionId}, ${clip.segmentId}, ${clip.showSlug}, ${clip.assetId}, ${clip.status}, ${at(clip.createdAtMs)}, ${clip.hidden}, ${body}::text::jsonb, ${at(clip.createdAtMs)})
          ON CONFLICT (command_key) DO NOTHING RETURNING id`
        return { clip: (yield* read(sql`WHERE c.command_key = ${commandKey}`))[0]!.clip, repeated: made.length === 0 }
      }, Effect.orDie),
      list: page("published_at", sql`c.published_at IS NOT NULL AND NOT c.hidden AND s.status = 'aired' AND NOT s.rerun_hold AND NOT coalesce(r.hidden, false)`),
      listAny: page("created_at", sql`true`),
      findAny: (id) => Effect.map(read(sql`WHERE c.id = ${id}`), (found) => found[0] ?? null),
      change: (id, { hidden, title }) => patch(id, { title }, sql`hidden = ${hidden}`),
      lease: Effect.fn("Clips.lease")(function*(nowMs, untilMs) {
        const [row] = yield* sql<Row & { readonly tries: number }>`
          UPDATE clips c SET wakes_at = ${at(untilMs)}, tries = tries + 1 WHERE c.id = (
            SELECT id FROM clips WHERE wakes_at <= ${at(nowMs)} ORDER BY wakes_at, id LIMIT 1 FOR UPDATE SKIP LOCKED
          ) RETURNING ${columns}, NULL AS avatar_path, NULL AS synthetic, c.tries`
        return row === undefined ? null : { clip: (yield* fromRow(row)).clip, tries: row.tries }
      }, Effect.orDie),
      postpone: (id, untilMs) => Effect.orDie(Effect.asVoid(sql`UPDATE clips SET wakes_at = ${at(untilMs)} WHERE id = ${id} AND wakes_at IS NOT NULL`)),
      cut: (id, durationSec, nowMs) => patch(id, { durationSec }, sql`status = 'ready', wakes_at = NULL, published_at = coalesce(published_at, ${at(nowMs)})`),
      fail: (id, statusReason) => patch(id, { statusReason }, sql`status = 'failed', wakes_at = NULL`),
      like: (segmentId, liker, atSec) => Effect.orDie(Effect.asVoid(sql`
        INSERT INTO replay_likes (segment_id, liker, at_sec) SELECT r.segment_id, ${liker}, ${atSec}::float8 FROM replays r WHERE r.segment_id = ${segmentId} AND r.published_at IS NULL`)),
      takeLikes: (segmentId) => Effect.orDie(sql<LikeRow>`DELETE FROM replay_likes WHERE segment_id = ${segmentId} RETURNING liker, at_sec`)
    })
  }))
}
