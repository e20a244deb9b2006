import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** What waits for a person of the station, and what was decided. One open review for each subject. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE reviews (
      id text PRIMARY KEY,
      kind text NOT NULL,
      subject_type text NOT NULL,
      subject_id text NOT NULL,
      agent_id text NOT NULL,
      status text NOT NULL CHECK (status IN ('open', 'held', 'escalated', 'approved', 'rejected', 'changes_requested', 'withdrawn')),
      flags jsonb NOT NULL,
      reason text,
      note text,
      decided_by text,
      decided_at timestamptz,
      before_decision jsonb,
      due_at timestamptz NOT NULL,
      created_at timestamptz NOT NULL
    )
  `
  yield* sql`CREATE UNIQUE INDEX reviews_open ON reviews (subject_type, subject_id) WHERE status IN ('open', 'held', 'escalated')`
  yield* sql`CREATE INDEX reviews_queue ON reviews (status, kind, created_at DESC, id DESC)`
  yield* sql`CREATE INDEX reviews_of_agent ON reviews (agent_id, created_at DESC)`
})
