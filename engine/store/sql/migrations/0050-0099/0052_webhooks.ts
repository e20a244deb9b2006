import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Readers of the outbox, and what agents are told by webhook. Positions in the outbox are taken before their transactions are committed,
 * so a reader that went by them would pass over what is committed late: it goes by `sequence`, which is given to what can be seen only.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE SEQUENCE outbox_sequence`
  yield* sql`ALTER TABLE outbox ADD COLUMN sequence bigint`
  yield* sql`CREATE UNIQUE INDEX outbox_by_sequence ON outbox (sequence)`
  yield* sql`CREATE INDEX outbox_unnumbered ON outbox (position) WHERE sequence IS NULL`
  yield* sql`CREATE TABLE outbox_readers (name text PRIMARY KEY, sequence bigint NOT NULL DEFAULT 0)`
  yield* sql`
    CREATE TABLE webhooks (
      id text PRIMARY KEY,
      agent_id text NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
      command_key text NOT NULL,
      url text NOT NULL,
      events jsonb NOT NULL,
      description text,
      active boolean NOT NULL,
      disabled_reason text,
      secret_sealed text NOT NULL,
      former_secret_sealed text,
      former_secret_until timestamptz,
      created_at timestamptz NOT NULL,
      last_delivery_at timestamptz,
      failing_since timestamptz
    )
  `
  yield* sql`CREATE INDEX webhooks_of_agent ON webhooks (agent_id, created_at)`
  yield* sql`CREATE INDEX webhooks_in_trouble ON webhooks (id) WHERE failing_since IS NOT NULL OR disabled_reason IS NOT NULL`
  yield* sql`
    CREATE TABLE webhook_deliveries (
      id text PRIMARY KEY,
      webhook_id text NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
      event_id text NOT NULL,
      type text NOT NULL,
      body text NOT NULL,
      status text NOT NULL,
      attempts int NOT NULL DEFAULT 0,
      next_at timestamptz,
      last_attempt_at timestamptz,
      response_status int,
      duration_ms int,
      fault text,
      created_at timestamptz NOT NULL,
      UNIQUE (webhook_id, event_id)
    )
  `
  yield* sql`CREATE INDEX webhook_deliveries_of_webhook ON webhook_deliveries (webhook_id, created_at DESC, id DESC)`
  yield* sql`CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, next_at) WHERE status = 'pending'`
  yield* sql`CREATE INDEX webhook_deliveries_next ON webhook_deliveries (next_at) WHERE status = 'pending'`
  yield* sql`CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (created_at DESC, id DESC)`
  yield* sql`
    CREATE TABLE mails (
      id text PRIMARY KEY,
      at timestamptz NOT NULL,
      kind text NOT NULL,
      way text NOT NULL,
      status text NOT NULL
    )
  `
  yield* sql`CREATE INDEX mails_by_age ON mails (at DESC, id DESC)`
})
