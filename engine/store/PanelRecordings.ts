import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SessionId } from "../../schema/Ids.ts"
import { Recording } from "../../schema/Recording.ts"

const decode = Schema.decodeUnknownEffect(Recording)
const encode = Schema.encodeEffect(Recording)

/** What was made of panels. The first is the only one: whoever saves another gets that. */
export class PanelRecordings extends Context.Service<PanelRecordings, {
  readonly find: (sessionId: SessionId) => Effect.Effect<Recording | null>
  readonly save: (sessionId: SessionId, recording: Recording) => Effect.Effect<Recording>
}>()("longwave/engine/store/PanelRecordings") {
  static readonly layer = Layer.effect(PanelRecordings, Effect.map(SqlClient.SqlClient, (sql) => {
    const find = Effect.fn("PanelRecordings.find")(function*(sessionId: SessionId) {
      const [row] = yield* sql<{ body: unknown }>`SELECT body FROM panel_recordings WHERE session_id = ${sessionId}`
      return row === undefined ? null : yield* decode(row.body)
    }, Effect.orDie)
    return PanelRecordings.of({
      find,
      save: Effect.fn("PanelRecordings.save")(function*(sessionId, recording) {
        yield* sql`
          INSERT INTO panel_recordings (session_id, asset_id, body) VALUES (${sessionId}, ${recording.assetId}, ${JSON.stringify(yield* encode(recording))}::text::jsonb) ON CONFLICT DO NOTHING`
        return (yield* find(sessionId)) ?? recording
      }, Effect.orDie)
    })
  }))
}
