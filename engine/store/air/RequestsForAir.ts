import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { SongRequestId, TrackId } from "../../../schema/Ids.ts"
import { songRequestHardHours } from "../../rules/air/limits.ts"
import { addressHashHours } from "../../rules/listeners/limits.ts"
import { at } from "../sql/instants.ts"
import { rows, run } from "../sql/rows.ts"

/** A song and everybody who waits for it, oldest first. */
const WaitingSong = Schema.Struct({ trackId: TrackId, songRequestIds: Schema.Array(SongRequestId) })

const songs = rows(WaitingSong)
const due = rows(Schema.Struct({ id: SongRequestId, why: Schema.Literals(["expired", "stopped", "refused"]) }))

/** Requests as the scheduler sees them. */
export class RequestsForAir extends Context.Service<RequestsForAir>()("longwave/engine/store/RequestsForAir", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      /** Songs of the rotation that are waited for, in the order in which they were first asked for. */
      waiting: (limit: number) =>
        songs(sql`
        SELECT r.track_id, array_agg(r.id ORDER BY r.created_at, r.id) AS song_request_ids FROM song_requests r JOIN tracks t ON t.id = r.track_id
        WHERE r.status = 'pending' AND t.approval_status = 'approved' GROUP BY r.track_id ORDER BY min(r.created_at), r.track_id LIMIT ${limit}`),
      /** What has waited too long, with a place or without, and what waits for a track that has left the rotation. */
      due: (nowMs: number) =>
        Effect.map(
          due(sql`
        SELECT id, CASE WHEN created_at <= ${at(nowMs - songRequestHardHours * 3_600_000)} THEN 'stopped' WHEN expires_at <= ${at(nowMs)} THEN 'expired' ELSE 'refused' END AS why
        FROM song_requests r WHERE status = 'pending' AND (expires_at <= ${at(nowMs)} OR created_at <= ${at(nowMs - songRequestHardHours * 3_600_000)}
          OR NOT EXISTS (SELECT 1 FROM tracks t WHERE t.id = r.track_id AND t.approval_status = 'approved')) ORDER BY id`),
          (found) => {
            const of = (wanted: (typeof found)[number]["why"]) =>
              found.flatMap(({ id, why }) => (why === wanted ? [id] : []))
            return { expired: of("expired"), stopped: of("stopped"), refused: of("refused") }
          }
        ),
      /** Forgets from where guests asked, two days after. */
      forgetAddresses: (nowMs: number) =>
        run(sql`
        UPDATE song_requests SET requester = NULL WHERE requester LIKE 'guest\\_%' AND created_at <= ${at(nowMs - addressHashHours * 3_600_000)} AND status <> 'pending'`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
