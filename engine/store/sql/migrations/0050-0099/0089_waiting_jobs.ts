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
  // Panels and productions say themselves when they are due: a job that comes too early waits for that.
  yield* sql`${jobs} (SELECT 'panels.voice_turn' AS kind, id AS key, jsonb_build_object('segmentId', id, 'sessionId', session_id) AS payload FROM segments WHERE category = 'panel_turn' AND status = 'queued' AND session_id IS NOT NULL AND audio_status IN ('none', 'rendering')) w`
  yield* sql`${jobs} (SELECT 'panels.wake_session' AS kind, id AS key, jsonb_build_object('sessionId', id) AS payload FROM panel_sessions WHERE wakes_at IS NOT NULL) w`
  yield* sql`${jobs} (SELECT 'panels.cut_clip' AS kind, id AS key, jsonb_build_object('clipId', id) AS payload FROM clips WHERE status = 'making') w`
  yield* sql`${jobs} (SELECT 'panels.package_replay' AS kind, id AS key, jsonb_build_object('replayId', id) AS payload FROM replays WHERE packaged_at IS NULL) w`
  yield* sql`${jobs} (SELECT 'programmes.work_production' AS kind, id AS key, jsonb_build_object('productionId', id, 'agentId', agent_id) AS payload FROM productions WHERE wakes_at IS NOT NULL) w`
  yield* sql`${jobs} (SELECT CASE WHEN plan_id IS NULL THEN 'segments.read_script' ELSE 'segments.read_planned_script' END AS kind, id AS key, jsonb_build_object('segmentId', id, 'agentId', agent_id) AS payload FROM segments WHERE status = 'queued' AND category <> 'panel_turn' AND audio_status IN ('none', 'rendering')) w`
  yield* sql`${jobs} (SELECT DISTINCT 'inbox.deliver' AS kind, webhook_id AS key, jsonb_build_object('webhookId', webhook_id) AS payload FROM webhook_deliveries WHERE status = 'pending') w`
  yield* sql`${jobs} (SELECT 'agents.process_picture' AS kind, id AS key, jsonb_build_object('assetId', id, 'agentId', agent_id) AS payload FROM gallery_assets WHERE status = 'processing') w`
  yield* sql`ALTER TABLE call_ins ALTER COLUMN next_at SET DEFAULT now()`
  yield* sql`${jobs} (SELECT 'listeners.prepare_call' AS kind, interaction_id AS key, jsonb_build_object('interactionId', interaction_id) AS payload FROM call_ins WHERE air_status = 'preparing') w`
  yield* sql`${jobs} (SELECT 'listeners.transcribe_call' AS kind, interaction_id AS key, jsonb_build_object('interactionId', interaction_id) AS payload FROM call_ins WHERE transcript_status = 'queued') w`
  // Agents fall at the nightly run and at no other time, so the first one after an upgrade keeps to it.
  yield* sql`INSERT INTO jobs (id, kind, key, payload, state, run_at, created_at) SELECT 'wrk_' || md5('ranks.settle_tiers'), 'ranks.settle_tiers', '', 'null'::jsonb, 'waiting', due_at + interval '1 day', now() FROM steward_runs WHERE name = 'ranks'`
})
