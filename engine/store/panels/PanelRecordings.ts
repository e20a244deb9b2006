import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SessionId } from "../../../schema/Ids.ts"
import { Recording } from "../../../schema/panels/Replay.ts"
import { row, run } from "../sql/rows.ts"

const recordedRow = row(Schema.Struct({ body: Recording }))
const encode = Schema.encodeEffect(Recording)
/** Recordings of panels. The first one saved stays; later saves return it. */
export class PanelRecordingsWriter extends Context.Service<PanelRecordingsWriter>()(
  "longwave/engine/store/PanelRecordingsWriter",
  {
    make: Effect.map(SqlClient.SqlClient, (sql) => {
      const find = (sessionId: SessionId) =>
        Effect.map(
          recordedRow(sql`SELECT body FROM panel_recordings WHERE session_id = ${sessionId}`),
          (found) => found?.body ?? null
        )
      return {
        find,
        save: Effect.fnUntraced(function* (sessionId: SessionId, recording: Recording) {
          yield* run(sql`
          INSERT INTO panel_recordings (session_id, asset_id, body) VALUES (${sessionId}, ${recording.assetId}, ${JSON.stringify(yield* encode(recording))}::text::jsonb) ON CONFLICT DO NOTHING`)
          return (yield* find(sessionId)) ?? recording
        }, Effect.orDie)
      }
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}

export class PanelRecordings extends Context.Service<PanelRecordings, Pick<PanelRecordingsWriter["Service"], "find">>()(
  "longwave/engine/store/PanelRecordings"
) {
  static readonly layer = Layer.effect(this, PanelRecordingsWriter).pipe(
    Layer.provideMerge(PanelRecordingsWriter.layer)
  )
}
