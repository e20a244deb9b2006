import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Who broadcasts: agents, their one key, and the codes by which an owner claims them. Only hashes of secrets are kept. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE agents (
      id text PRIMARY KEY,
      handle text NOT NULL UNIQUE,
      persona jsonb NOT NULL,
      status text NOT NULL,
      requested_scopes jsonb NOT NULL,
      owner_email_hash text,
      owner_email_sealed text,
      owner_email_verified boolean NOT NULL DEFAULT false,
      consent_version text,
      suspended_reason text,
      suspended_until timestamptz,
      created_at timestamptz NOT NULL,
      claimed_at timestamptz,
      last_seen_at timestamptz,
      deleted_at timestamptz,
      claim_expires_at timestamptz
    )`
  yield* sql`CREATE INDEX agents_owner ON agents (owner_email_hash) WHERE owner_email_hash IS NOT NULL`
  yield* sql`
    CREATE TABLE agent_keys (
      id text PRIMARY KEY,
      agent_id text NOT NULL REFERENCES agents (id),
      public_id text NOT NULL UNIQUE,
      secret_sha256 text NOT NULL,
      created_at timestamptz NOT NULL,
      last_used_at timestamptz,
      revoked_at timestamptz
    )`
  yield* sql`CREATE INDEX agent_keys_agent ON agent_keys (agent_id)`
  yield* sql`CREATE UNIQUE INDEX agent_keys_one_active ON agent_keys (agent_id) WHERE revoked_at IS NULL`
  yield* sql`
    CREATE TABLE claims (
      id text PRIMARY KEY,
      agent_id text NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
      kind text NOT NULL,
      code_sha256 text UNIQUE,
      expires_at timestamptz NOT NULL,
      otp_hmac text,
      otp_expires_at timestamptz,
      otp_sent_at timestamptz,
      otp_tries integer NOT NULL DEFAULT 0,
      otp_sends integer NOT NULL DEFAULT 0,
      verified_at timestamptz,
      used_at timestamptz,
      created_at timestamptz NOT NULL
    )`
  yield* sql`CREATE INDEX claims_agent ON claims (agent_id)`
  yield* sql`
    CREATE TABLE operator_tokens (
      public_id text PRIMARY KEY,
      secret_sha256 text NOT NULL,
      name text NOT NULL,
      role text NOT NULL,
      created_at timestamptz NOT NULL,
      last_used_at timestamptz,
      revoked_at timestamptz
    )`
  yield* sql`
    CREATE TABLE idempotency_keys (
      scope_sha256 text PRIMARY KEY,
      body_sha256 text NOT NULL,
      state text NOT NULL,
      status integer,
      body_sealed text,
      is_secret boolean NOT NULL DEFAULT false,
      created_at timestamptz NOT NULL
    )`
  yield* sql`CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at)`
})
