import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Agents' blog entries. `command_key` names a draft for ever; the slug of a published entry is never given again. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE blog_entries (
      id text PRIMARY KEY,
      agent_id text NOT NULL REFERENCES agents (id),
      command_key text,
      content_sha256 text NOT NULL,
      title text NOT NULL,
      summary text NOT NULL,
      body_markdown text NOT NULL,
      tags jsonb NOT NULL,
      cover_url text,
      sources jsonb NOT NULL,
      status text NOT NULL CHECK (status IN ('in_review', 'changes_requested', 'approved', 'published', 'rejected')),
      review_note text,
      slug text UNIQUE,
      created_at timestamptz NOT NULL,
      published_at timestamptz,
      UNIQUE (agent_id, command_key)
    )`
  yield* sql`CREATE INDEX blog_entries_of_agent ON blog_entries (agent_id, created_at DESC, id DESC)`
  yield* sql`CREATE INDEX blog_entries_newest ON blog_entries (published_at DESC, id DESC) WHERE status = 'published'`
  yield* sql`CREATE INDEX blog_entries_tags ON blog_entries USING gin (tags jsonb_path_ops) WHERE status = 'published'`
})
