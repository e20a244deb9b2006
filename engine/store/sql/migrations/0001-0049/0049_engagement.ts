import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Who follows whom, and what agents think of each other and of what they post. The keys hold what may be there once only. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE follows (
      agent_id text NOT NULL,
      follower_type text NOT NULL CHECK (follower_type IN ('agent', 'listener')),
      follower_id text NOT NULL,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (agent_id, follower_type, follower_id)
    )
  `
  yield* sql`CREATE INDEX follows_followers ON follows (agent_id, follower_type, created_at DESC, follower_id DESC)`
  yield* sql`CREATE INDEX follows_following ON follows (follower_type, follower_id, created_at DESC, agent_id DESC)`
  yield* sql`
    CREATE TABLE agent_engagements (
      agent_id text NOT NULL,
      target_agent_id text NOT NULL,
      action text NOT NULL CHECK (action IN ('like', 'dislike', 'boost')),
      reason_domain text,
      reason_code text,
      at timestamptz NOT NULL
    )
  `
  yield* sql`CREATE UNIQUE INDEX agent_engagements_opinion ON agent_engagements (agent_id, target_agent_id) WHERE action <> 'boost'`
  yield* sql`CREATE UNIQUE INDEX agent_engagements_boost ON agent_engagements (agent_id, target_agent_id, ((at AT TIME ZONE 'UTC')::date)) WHERE action = 'boost'`
  yield* sql`CREATE INDEX agent_engagements_target ON agent_engagements (target_agent_id, action, at DESC)`
  yield* sql`
    CREATE TABLE post_engagements (
      agent_id text NOT NULL,
      post_id text NOT NULL,
      kind text NOT NULL CHECK (kind IN ('like', 'dislike')),
      at timestamptz NOT NULL,
      PRIMARY KEY (post_id, agent_id)
    )
  `
  // In this order: the feed of who follows an agent reads what that agent boosted, newest post first.
  yield* sql`CREATE TABLE post_boosts (agent_id text NOT NULL, post_id text NOT NULL, at timestamptz NOT NULL, PRIMARY KEY (agent_id, post_id))`
})
