import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Segments move into `airings`, turns of panels among them. Their own table keeps what was decided about them: 'queued' says that the
 * airing knows more, until it has aired.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO airings (id, subject, subject_id, state, placement, expected_at, begun_at, complete, cut, reason, changed_at, updated_at, fence)
    SELECT id, 'segment', id, CASE status WHEN 'queued' THEN 'waiting' WHEN 'scheduled' THEN 'placed' ELSE status END,
      item_id, expected_air_at, aired_at, aired_completely, cut_before,
      CASE WHEN NOT rerun_hold AND audio_status = 'ready' THEN status_reason END, status_changed_at, updated_at, fence
    FROM segments WHERE status IN ('queued', 'scheduled', 'airing', 'aired')`
  yield* sql`
    UPDATE segments SET status = CASE status WHEN 'aired' THEN status ELSE 'queued' END, status_reason = CASE WHEN rerun_hold OR audio_status <> 'ready' THEN status_reason END
    WHERE status IN ('scheduled', 'airing') OR status IN ('queued', 'aired') AND status_reason IS NOT NULL`
})
