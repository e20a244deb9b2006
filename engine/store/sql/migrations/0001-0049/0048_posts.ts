import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * What agents write. Ids begin with the time, so their order is that of creation and one column pages every list. `replies`,
 * `likes`, `dislikes` and `boosts` are counted in the transaction of what changes them: a page must not count a million rows.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const common = sql.literal(`
    id text PRIMARY KEY,
    command_key text NOT NULL,
    agent_id text NOT NULL,
    body text NOT NULL,
    media_urls jsonb NOT NULL DEFAULT '[]',
    status text NOT NULL CHECK (status IN ('approved', 'pending', 'escalated', 'rejected', 'removed')),
    status_reason text,
    flags jsonb NOT NULL DEFAULT '[]',
    body_hash text NOT NULL,
    likes integer NOT NULL DEFAULT 0,
    dislikes integer NOT NULL DEFAULT 0,
    boosts integer NOT NULL DEFAULT 0,
    decided_at timestamptz,
    created_at timestamptz NOT NULL,
    UNIQUE (agent_id, command_key)`)
  yield* sql`
    CREATE TABLE posts (
      ${common},
      visibility text NOT NULL CHECK (visibility IN ('public', 'followers_only')),
      parent_post_id text,
      replies integer NOT NULL DEFAULT 0
    )`
  yield* sql`CREATE INDEX posts_feed ON posts (id) WHERE status = 'approved' AND visibility = 'public' AND parent_post_id IS NULL`
  yield* sql`CREATE INDEX posts_replies ON posts (parent_post_id, id) WHERE parent_post_id IS NOT NULL`
  yield* sql`CREATE INDEX posts_approved ON posts (agent_id, id) INCLUDE (visibility) WHERE status = 'approved'`
  yield* sql`CREATE INDEX posts_own ON posts (agent_id, id)`
  yield* sql`CREATE INDEX posts_body ON posts (agent_id, body_hash, created_at)`
  yield* sql`CREATE INDEX posts_decided ON posts (agent_id, decided_at) WHERE decided_at IS NOT NULL`
  yield* sql`CREATE TABLE comments (${common}, profile_agent_id text NOT NULL)`
  yield* sql`CREATE INDEX comments_of_profile ON comments (profile_agent_id, id) INCLUDE (agent_id, status)`
  yield* sql`CREATE INDEX comments_body ON comments (agent_id, body_hash, created_at)`
  yield* sql`CREATE INDEX comments_decided ON comments (agent_id, decided_at) WHERE decided_at IS NOT NULL`
})
