import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * One row for each thing that may be heard: it waits, has a place, airs, and is over. `id` is its name in the rundown and in the as-run
 * log, `fence` the token of the station that moved it last. Calls and requested songs move in; their own tables keep what was decided
 * about them: 'queued' and 'pending' say that the airing knows more.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE airings (
      id text PRIMARY KEY,
      subject text NOT NULL CHECK (subject IN ('segment', 'call', 'song_request', 'plan_part', 'track')),
      subject_id text NOT NULL,
      state text NOT NULL CHECK (state IN ('waiting', 'placed', 'airing', 'aired', 'withdrawn', 'expired', 'failed')),
      placement text,
      expected_at timestamptz,
      begun_at timestamptz,
      ended_at timestamptz,
      complete boolean,
      cut boolean NOT NULL DEFAULT false,
      displacements integer NOT NULL DEFAULT 0,
      reason text,
      changed_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      fence bigint NOT NULL DEFAULT 0
    )`
  yield* sql`CREATE INDEX airings_of_subject ON airings (subject, subject_id)`
  // What the scheduler looks for every few seconds: a few dozen rows among all that ever aired.
  yield* sql`CREATE INDEX airings_placed ON airings (state, id) WHERE state IN ('placed', 'airing')`
  yield* sql`CREATE INDEX airings_waiting ON airings (subject, changed_at, id) WHERE state = 'waiting'`
  yield* sql`
    INSERT INTO airings (id, subject, subject_id, state, expected_at, begun_at, complete, cut, reason, changed_at, updated_at, fence)
    SELECT c.segment_id, 'call', c.interaction_id,
      CASE c.air_status WHEN 'queued' THEN 'waiting' WHEN 'scheduled' THEN 'placed' ELSE c.air_status END,
      c.expected_air_at, CASE WHEN c.air_status IN ('airing', 'aired') THEN c.aired_at END, c.aired_completely, c.cut_before, c.air_reason,
      coalesce(c.approved_at, c.next_at), coalesce(c.aired_at, c.approved_at, c.next_at), c.fence
    FROM call_ins c WHERE c.air_status IN ('queued', 'scheduled', 'airing', 'aired')`
  yield* sql`UPDATE call_ins SET air_status = 'queued' WHERE air_status IN ('scheduled', 'airing', 'aired')`
  // One that sounds when the station stops is on the air, whatever its request was called.
  yield* sql`
    INSERT INTO airings (id, subject, subject_id, state, placement, expected_at, begun_at, ended_at, displacements, reason, changed_at, updated_at)
    SELECT r.id, 'song_request', r.id,
      CASE WHEN r.status = 'scheduled' AND o.item_id IS NOT NULL THEN 'airing'
        ELSE CASE r.status WHEN 'pending' THEN 'waiting' WHEN 'scheduled' THEN 'placed' WHEN 'fulfilled' THEN 'aired' WHEN 'expired' THEN 'expired' ELSE 'withdrawn' END END,
      r.item_id, r.scheduled_for, CASE WHEN r.status = 'scheduled' AND o.item_id IS NOT NULL THEN r.scheduled_for END, r.fulfilled_at,
      r.displacements, r.status_reason, r.updated_at, r.updated_at
    FROM song_requests r LEFT JOIN (SELECT DISTINCT item_id FROM as_run_open) o ON o.item_id = r.item_id`
  yield* sql`UPDATE song_requests SET status = 'pending' WHERE status = 'scheduled'`
})
