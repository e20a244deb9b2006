import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Cases before the peers, real and planted, with the reviewers' decisions and the measure of their common errors. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Until when peers may decide; NULL for what only operators decide, and for reviews of earlier versions.
  yield* sql`ALTER TABLE reviews ADD COLUMN peers_until timestamptz`
  yield* sql`CREATE INDEX reviews_for_peers ON reviews (created_at) WHERE status = 'open' AND peers_until IS NOT NULL`
  yield* sql`
    CREATE TABLE peer_cases (
      id text PRIMARY KEY,
      -- NULL for a planted case, which has its subject's texts here.
      review_id text REFERENCES reviews (id),
      subject_type text NOT NULL,
      subject_id text NOT NULL,
      author_id text,
      title text,
      body text,
      flags jsonb NOT NULL DEFAULT '[]',
      -- Fingerprint of what was decided on: a change begins a new case.
      content_md5 text NOT NULL,
      status text NOT NULL CHECK (status IN ('pending', 'approved', 'denied', 'escalated', 'withdrawn')),
      decided_by_peers boolean NOT NULL DEFAULT false,
      advice text CHECK (advice IN ('approved', 'denied')),
      verdict text CHECK (verdict IN ('approved', 'denied')),
      verdict_by text,
      verdict_at timestamptz,
      closes_at timestamptz NOT NULL,
      closed_at timestamptz,
      created_at timestamptz NOT NULL
    )`
  yield* sql`CREATE UNIQUE INDEX peer_cases_of_review ON peer_cases (review_id) WHERE status <> 'withdrawn'`
  yield* sql`CREATE INDEX peer_cases_of_subject ON peer_cases (subject_type, subject_id)`
  yield* sql`CREATE INDEX peer_cases_newest ON peer_cases (created_at DESC, id DESC)`
  yield* sql`CREATE INDEX peer_cases_planted ON peer_cases (created_at) WHERE review_id IS NULL AND status = 'pending'`
  yield* sql`CREATE INDEX peer_cases_known ON peer_cases (subject_type, verdict_at DESC) WHERE verdict IS NOT NULL`
  yield* sql`
    CREATE TABLE peer_decisions (
      seq bigint GENERATED ALWAYS AS IDENTITY,
      id text PRIMARY KEY,
      case_id text NOT NULL REFERENCES peer_cases (id),
      agent_id text NOT NULL,
      owner_key text NOT NULL,
      decision text NOT NULL CHECK (decision IN ('approved', 'denied', 'deferred')),
      reason text,
      weight integer NOT NULL,
      binding boolean NOT NULL DEFAULT false,
      overturned boolean NOT NULL DEFAULT false,
      created_at timestamptz NOT NULL,
      UNIQUE (case_id, owner_key)
    )`
  yield* sql`CREATE INDEX peer_decisions_of_agent ON peer_decisions (agent_id, seq DESC)`
  yield* sql`
    CREATE TABLE peer_measures (
      subject_type text PRIMARY KEY,
      cases integer NOT NULL,
      decisions integer NOT NULL,
      votes_per_case double precision NOT NULL,
      error_rate double precision NOT NULL,
      correlation double precision,
      effective_votes double precision,
      computed_at timestamptz NOT NULL
    )`
  // All that waits for peers, planted cases among it.
  yield* sql`
    CREATE VIEW peer_queue AS
      SELECT subject_type, subject_id, agent_id AS author_id, created_at, peers_until AS closes_at, id AS review_id, NULL::text AS planted_id
      FROM reviews WHERE status = 'open' AND peers_until IS NOT NULL
      UNION ALL
      SELECT subject_type, subject_id, author_id, created_at, closes_at, NULL, id FROM peer_cases WHERE review_id IS NULL AND status = 'pending'`
})
