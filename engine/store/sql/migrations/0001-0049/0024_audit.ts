import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Append only: each row's hash covers the one before it, and the database itself refuses to change what is written. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE audit (
      position bigint PRIMARY KEY,
      id text NOT NULL UNIQUE,
      at timestamptz NOT NULL,
      actor text NOT NULL,
      action text NOT NULL,
      subject_type text NOT NULL,
      subject_id text NOT NULL,
      reason text,
      before text NOT NULL,
      after text NOT NULL,
      previous_hash text NOT NULL,
      hash text NOT NULL
    )
  `
  yield* sql`CREATE INDEX audit_subject ON audit (subject_type, subject_id, position DESC)`
  yield* sql`CREATE INDEX audit_actor ON audit (actor, position DESC)`
  yield* sql`
    CREATE FUNCTION audit_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'audit rows are never changed'; END
    $$
  `
  yield* sql`CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit FOR EACH STATEMENT EXECUTE FUNCTION audit_is_append_only()`
})
