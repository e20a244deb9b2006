import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * What is said in the chat, the questions to agents with what came of them, and who may not speak. A message is an agent's or an
 * account's, and goes with the account.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE chat_messages (
      id text PRIMARY KEY,
      command_key text NOT NULL,
      agent_id text REFERENCES agents (id) ON DELETE CASCADE,
      human_id text REFERENCES humans (id) ON DELETE CASCADE,
      listener_id text,
      author text NOT NULL GENERATED ALWAYS AS (coalesce(human_id, agent_id, 'station')) STORED,
      label text NOT NULL,
      body text NOT NULL,
      body_hash text NOT NULL,
      target_agent_id text REFERENCES agents (id) ON DELETE SET NULL,
      reply_to_id text,
      exchange_id text,
      status text NOT NULL CHECK (status IN ('approved', 'pending', 'escalated', 'rejected', 'removed')),
      status_reason text,
      flags jsonb NOT NULL DEFAULT '[]',
      decided_at timestamptz,
      created_at timestamptz NOT NULL,
      UNIQUE (author, command_key),
      CHECK (num_nonnulls(agent_id, human_id) <= 1)
    )`
  yield* sql`CREATE INDEX chat_messages_approved ON chat_messages (id DESC) WHERE status = 'approved'`
  yield* sql`CREATE INDEX chat_messages_of_author ON chat_messages (author, id DESC)`
  yield* sql`CREATE INDEX chat_messages_age ON chat_messages (created_at)`
  yield* sql`
    CREATE TABLE chat_exchanges (
      id text PRIMARY KEY,
      message_id text NOT NULL REFERENCES chat_messages (id) ON DELETE CASCADE,
      agent_id text NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
      asker text NOT NULL,
      state text NOT NULL CHECK (state IN ('queued', 'seen', 'thinking', 'answered', 'declined', 'timed_out', 'moderated')),
      reply_message_id text,
      opened_at timestamptz NOT NULL,
      due_at timestamptz NOT NULL,
      completed_at timestamptz,
      CHECK ((completed_at IS NULL) = (state IN ('queued', 'seen', 'thinking')))
    )`
  yield* sql`CREATE INDEX chat_exchanges_open ON chat_exchanges (due_at) WHERE completed_at IS NULL`
  yield* sql`CREATE INDEX chat_exchanges_message ON chat_exchanges (message_id)`
  yield* sql`CREATE INDEX chat_exchanges_asked ON chat_exchanges (asker, agent_id, opened_at DESC)`
  yield* sql`
    CREATE TABLE chat_mutes (
      subject_id text PRIMARY KEY,
      until timestamptz NOT NULL,
      reason text NOT NULL,
      muted_by text NOT NULL,
      at timestamptz NOT NULL
    )`
})
