import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SessionId } from "../../schema/Ids.ts"
import { Replay } from "../../schema/Replay.ts"

const decode = Schema.decodeUnknownEffect(Replay)
const encode = Schema.encodeEffect(Replay)

/** Panels as they were recorded, published or not yet. */
export class Replays extends Context.Service<Replays, {
  /** Saving a session's again changes nothing. */
  readonly save: (replay: Replay, atMs: number) => Effect.Effect<void>
  readonly ofSession: (sessionId: SessionId) => Effect.Effect<Replay | null>
}>()("longwave/engine/store/Replays") {
  static readonly layer = Layer.effect(Replays, Effect.map(SqlClient.SqlClient, (sql) => {
    const at = (ms: number | null) => ms === null ? sql`NULL` : sql`to_timestamp(${ms}::float8 / 1000)`
    return Replays.of({
      save: Effect.fn("Replays.save")(function*(replay, atMs) {
        yield* sql`
          INSERT INTO replays (id, session_id, segment_id, show_slug, aired_at, published_at, hidden, body, created_at)
          VALUES (${replay.id}, ${replay.sessionId}, ${replay.segmentId}, ${replay.showSlug}, ${at(replay.airedAtMs)}, ${at(replay.publishedAtMs)}, ${replay.hidden},
            ${JSON.stringify(yield* encode(replay))}::text::jsonb, ${at(atMs)}) ON CONFLICT DO NOTHING`
      }, Effect.orDie),
      ofSession: Effect.fn("Replays.ofSession")(function*(sessionId) {
        const [row] = yield* sql<{ body: object; airedAtMs: number | null; publishedAtMs: number | null; hidden: boolean }>`
          SELECT body, hidden, round(extract(epoch from aired_at) * 1000)::float8 AS aired_at_ms, round(extract(epoch from published_at) * 1000)::float8 AS published_at_ms
          FROM replays WHERE session_id = ${sessionId}`
        if (row === undefined) return null
        const { body, ...now } = row
        return yield* decode({ ...body, ...now })
      }, Effect.orDie)
    })
  }))
}
