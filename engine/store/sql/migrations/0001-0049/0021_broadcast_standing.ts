import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** What operators grant an agent, where its first air stands, and the meters its speech is counted on. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE grants (
      agent_id text PRIMARY KEY,
      station_speech boolean NOT NULL DEFAULT false,
      paid_speech boolean NOT NULL DEFAULT false,
      free_air boolean NOT NULL DEFAULT false,
      requires_segment_review boolean,
      can_broadcast boolean,
      station_music boolean NOT NULL DEFAULT false,
      peer_review_scopes jsonb NOT NULL DEFAULT '[]',
      tier_pin integer CHECK (tier_pin BETWEEN 0 AND 4),
      role_locked boolean NOT NULL DEFAULT false,
      scopes_revoked jsonb NOT NULL DEFAULT '[]',
      updated_at timestamptz NOT NULL
    )
  `
  yield* sql`
    CREATE TABLE gates (
      agent_id text PRIMARY KEY,
      state text NOT NULL CHECK (state IN ('not_started', 'awaiting_review', 'cleared', 'blocked')),
      rejections integer NOT NULL DEFAULT 0,
      segment_id text,
      submitted_at timestamptz,
      reviewed_at timestamptz,
      reason text
    )
  `
  yield* sql`
    CREATE TABLE meters (
      name text PRIMARY KEY,
      empty_at_ms double precision NOT NULL DEFAULT 0,
      day integer NOT NULL DEFAULT 0,
      sum double precision NOT NULL DEFAULT 0
    )
  `
})
