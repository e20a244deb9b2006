import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { ClipId } from "../../../schema/Ids.ts"
import { Clip } from "../../../schema/panels/Replay.ts"
import { Synthetic } from "../../../schema/Synthetic.ts"
import { replayPages } from "./Replays.ts"
import { at, msText } from "../sql/instants.ts"
import { rows, run, hasChanged } from "../sql/rows.ts"

/** A clip with the picture of its first speaker. */
export interface ClipRecord {
  readonly clip: Clip
  readonly avatarPath: string | null
  readonly synthetic: Synthetic
}
const Row = Schema.Struct({
  body: Clip,
  status: Clip.fields.status,
  publishedAtMs: Schema.NullOr(Schema.Finite),
  hidden: Schema.Boolean,
  avatarPath: Schema.NullOr(Schema.String),
  synthetic: Synthetic
})
/** A like at a moment of a recording; the liker is a hash. */
const LikeRow = Schema.Struct({ liker: Schema.String, atSec: Schema.Finite })

const clips = rows(Row)
const likeRows = rows(LikeRow)
const encode = Schema.encodeEffect(Clip)
const clipOf = ({ body, hidden, publishedAtMs, status }: typeof Row.Type) =>
  new Clip({ ...body, status, publishedAtMs, hidden })
const fromRow = (found: typeof Row.Type): ClipRecord => ({
  clip: clipOf(found),
  avatarPath: found.avatarPath,
  synthetic: found.synthetic
})
/** Clips and their sound, and the likes from which the station chooses its own clips. */
export class ClipsWriter extends Context.Service<ClipsWriter>()("longwave/engine/store/ClipsWriter", {
  make: Effect.map(SqlClient.SqlClient, (sql) => {
    const columns = sql.literal(`c.body, c.status, c.hidden, ${msText("c.published_at")} AS published_at_ms`)
    const read = (rest: Statement.Fragment) =>
      Effect.map(
        clips(sql`
      SELECT ${columns}, a.avatar_path, (SELECT sound.synthetic FROM assets sound WHERE sound.id = c.asset_id) AS synthetic FROM clips c JOIN segments s ON s.id = c.segment_id LEFT JOIN replays r ON r.id = c.replay_id
      LEFT JOIN agents a ON a.handle = c.body->'participants'->0->>'handle' ${rest}`),
        (found) => found.map(fromRow)
      )
    const page = replayPages(sql, { table: "clips", name: "c" }, read, ({ clip }) => clip.id)
    const patch = (id: ClipId, fields: object, rest: Statement.Fragment) =>
      run(sql`UPDATE clips SET body = body || ${JSON.stringify(fields)}::text::jsonb, ${rest} WHERE id = ${id}`)
    return {
      /** False if a clip of this origin exists. */
      add: Effect.fnUntraced(function* (clip: Clip, origin: string) {
        const body = JSON.stringify(yield* encode(clip))
        return yield* hasChanged(sql`
          INSERT INTO clips (id, command_key, replay_id, session_id, segment_id, show_slug, asset_id, status, hidden, body, created_at)
          VALUES (${clip.id}, ${origin}, ${clip.replayId}, ${clip.sessionId}, ${clip.segmentId}, ${clip.showSlug}, ${clip.assetId}, ${clip.status}, ${clip.hidden}, ${body}::text::jsonb, ${at(clip.createdAtMs)})
          ON CONFLICT (command_key) DO NOTHING RETURNING id`)
      }, Effect.orDie),
      /** Newest first, without clips that are hidden or held, or whose recording is; null if the cursor is unknown. */
      list: page(
        "published_at",
        sql`c.published_at IS NOT NULL AND NOT c.hidden AND s.status = 'aired' AND NOT s.rerun_hold AND NOT coalesce(r.hidden, false)`
      ),
      listAny: page("created_at", sql`true`),
      findAny: (id: string) => Effect.map(read(sql`WHERE c.id = ${id}`), (found) => found[0] ?? null),
      change: (id: ClipId, { hidden, title }: { readonly title: string; readonly hidden: boolean }) =>
        patch(id, { title }, sql`hidden = ${hidden}`),
      markReady: (id: ClipId, durationSec: number, nowMs: number) =>
        patch(id, { durationSec }, sql`status = 'ready', published_at = coalesce(published_at, ${at(nowMs)})`),
      fail: (id: ClipId, statusReason: string) => patch(id, { statusReason }, sql`status = 'failed'`),
      /** Ignored unless the segment has a recording that isn't published yet. */
      like: (segmentId: string, liker: string, atSec: number) =>
        run(sql`
        INSERT INTO replay_likes (segment_id, liker, at_sec) SELECT r.segment_id, ${liker}, ${atSec}::float8 FROM replays r WHERE r.segment_id = ${segmentId} AND r.published_at IS NULL`),
      /** Deletes and returns all likes. */
      takeLikes: (segmentId: string) =>
        likeRows(sql`DELETE FROM replay_likes WHERE segment_id = ${segmentId} RETURNING liker, at_sec`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class Clips extends Context.Service<Clips, Pick<ClipsWriter["Service"], "list" | "listAny" | "findAny">>()(
  "longwave/engine/store/Clips"
) {
  static readonly layer = Layer.effect(this, ClipsWriter).pipe(Layer.provideMerge(ClipsWriter.layer))
}
