import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** What waited under the leases of each subject becomes a job. The columns of those leases are no longer read. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const jobs = sql.literal(
    "INSERT INTO jobs (id, kind, key, payload, state, run_at, created_at) SELECT 'wrk_' || md5(kind || key), kind, key, payload, 'waiting', now(), now() FROM"
  )
  yield* sql`${jobs} (SELECT 'segments.examine_upload' AS kind, id AS key, jsonb_build_object('uploadId', id, 'agentId', agent_id) AS payload FROM uploads WHERE status = 'processing' AND removed_at IS NULL) w`
  yield* sql`${jobs} (SELECT 'segments.mark_files' AS kind, 'all' AS key, 'null'::jsonb AS payload WHERE EXISTS (SELECT 1 FROM assets WHERE NOT marked)) w`
})
