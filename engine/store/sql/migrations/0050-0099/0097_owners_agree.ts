import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** An agent that is claimed with the address of an existing account belongs to it once its owner has agreed. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE agents ADD COLUMN owner_agreed boolean NOT NULL DEFAULT true`
  yield* sql`
    CREATE OR REPLACE VIEW agent_owners AS
      SELECT a.id AS agent_id, coalesce(l.human_id, h.id) AS human_id, l.human_id IS NOT NULL AS confirmed
      FROM agents a LEFT JOIN human_agents l ON l.agent_id = a.id
      LEFT JOIN humans h ON h.email_hash = a.owner_email_hash AND a.owner_email_verified AND a.owner_agreed
      WHERE coalesce(l.human_id, h.id) IS NOT NULL AND a.status <> 'pending' AND a.deleted_at IS NULL`
})
