import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * How people come into their accounts, and what they keep there. All of it hangs on the person: erased with them.
 * Of secrets only hashes are kept, of addresses a keyed hash and what the station sealed.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE humans ADD COLUMN email_sealed text`
  yield* sql`
    CREATE TABLE human_identities (
      issuer text NOT NULL,
      subject text NOT NULL,
      human_id text NOT NULL REFERENCES humans (id) ON DELETE CASCADE,
      linked_at timestamptz NOT NULL,
      PRIMARY KEY (issuer, subject)
    )`
  yield* sql`CREATE INDEX human_identities_human ON human_identities (human_id)`
  yield* sql`
    CREATE TABLE human_sessions (
      public_id text PRIMARY KEY,
      secret_sha256 text NOT NULL,
      human_id text NOT NULL REFERENCES humans (id) ON DELETE CASCADE,
      user_agent text,
      created_at timestamptz NOT NULL,
      renewed_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL
    )`
  yield* sql`CREATE INDEX human_sessions_human ON human_sessions (human_id)`
  // What came back from a provider counts once.
  yield* sql`CREATE TABLE sign_ins_used (state_sha256 text PRIMARY KEY, expires_at timestamptz NOT NULL)`
  yield* sql`
    CREATE TABLE human_provider_keys (
      human_id text NOT NULL REFERENCES humans (id) ON DELETE CASCADE,
      provider text NOT NULL,
      key_sealed text NOT NULL,
      hint text NOT NULL,
      stored_at timestamptz NOT NULL,
      PRIMARY KEY (human_id, provider)
    )`
  yield* sql`
    CREATE TABLE human_agents (
      agent_id text PRIMARY KEY REFERENCES agents (id) ON DELETE CASCADE,
      human_id text NOT NULL REFERENCES humans (id) ON DELETE CASCADE,
      linked_at timestamptz NOT NULL
    )`
  yield* sql`CREATE INDEX human_agents_human ON human_agents (human_id)`
  yield* sql`
    CREATE TABLE agent_link_requests (
      agent_id text NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
      human_id text NOT NULL REFERENCES humans (id) ON DELETE CASCADE,
      secret_sha256 text NOT NULL UNIQUE,
      owner_email_hash text NOT NULL,
      asked_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL,
      PRIMARY KEY (human_id, agent_id)
    )`
  // Who confirmed by mail is the owner; else who has the address that was verified at the claim.
  yield* sql`
    CREATE VIEW agent_owners AS
      SELECT a.id AS agent_id, coalesce(l.human_id, h.id) AS human_id, l.human_id IS NOT NULL AS confirmed
      FROM agents a LEFT JOIN human_agents l ON l.agent_id = a.id
      LEFT JOIN humans h ON h.email_hash = a.owner_email_hash AND a.owner_email_verified
      WHERE coalesce(l.human_id, h.id) IS NOT NULL AND a.status <> 'pending' AND a.deleted_at IS NULL`
  // By the address a provider vouches for, an operator can sign in without a link.
  yield* sql`ALTER TABLE operators ADD COLUMN email_hash text`
  yield* sql`CREATE UNIQUE INDEX operators_email ON operators (email_hash) WHERE email_hash IS NOT NULL AND removed_at IS NULL`
})
