import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { onlyRow, run } from "./rows.ts"

/** Indexes that were added to tables which may be large by then: name, table and the rest of the definition. */
const indexes: ReadonlyArray<{ readonly name: string; readonly table: string; readonly on: string }> = [
  { name: "as_run_ends", table: "as_run", on: "(station_id, last_sample, seq)" },
  {
    name: "as_run_kinds",
    table: "as_run",
    on: "(station_id, kind, first_sample DESC, seq DESC) WHERE item_id IS NOT NULL"
  },
  { name: "as_run_plays", table: "as_run", on: "(first_sample) WHERE track_id IS NOT NULL" },
  { name: "agents_pending_expiry", table: "agents", on: "(claim_expires_at) WHERE status = 'pending'" },
  {
    name: "agents_left",
    table: "agents",
    on: "(deleted_at) WHERE deleted_at IS NOT NULL AND owner_email_hash IS NOT NULL"
  },
  // An agent's rows are deleted with the agent, also those that the other indexes of the table leave out.
  { name: "agent_link_requests_agents", table: "agent_link_requests", on: "(agent_id)" },
  { name: "chat_messages_agents", table: "chat_messages", on: "(agent_id) WHERE agent_id IS NOT NULL" },
  {
    name: "chat_messages_targets",
    table: "chat_messages",
    on: "(target_agent_id) WHERE target_agent_id IS NOT NULL"
  },
  { name: "chat_exchanges_agents", table: "chat_exchanges", on: "(agent_id) WHERE agent_id IS NOT NULL" },
  { name: "gallery_assets_all", table: "gallery_assets", on: "(agent_id)" },
  { name: "track_votes_agents", table: "track_votes", on: "(agent_id) WHERE agent_id IS NOT NULL" },
  { name: "tracks_of_agents", table: "tracks", on: "(agent_id, created_at DESC, id DESC) WHERE agent_id IS NOT NULL" },
  {
    name: "tracks_beds",
    table: "tracks",
    on: "(category, created_at DESC, id DESC) WHERE approval_status = 'approved' AND category IN ('bed', 'jingle')"
  },
  { name: "assets_by_sound", table: "assets", on: "(pcm_sha256)" },
  { name: "outbox_age", table: "outbox", on: "(at)" },
  { name: "jobs_tried", table: "jobs", on: "(tried_at) WHERE state IN ('failed', 'cancelled')" },
  { name: "listeners_guests", table: "listeners", on: "(seen_at) WHERE human_id IS NULL" },
  // A guest's rows are deleted with the guest.
  { name: "track_votes_guests", table: "track_votes", on: "(listener_id) WHERE listener_id IS NOT NULL" },
  { name: "listener_days_guests", table: "listener_days", on: "(listener_id) WHERE listener_id IS NOT NULL" },
  { name: "human_sessions_expiry", table: "human_sessions", on: "(expires_at)" },
  { name: "sign_ins_used_expiry", table: "sign_ins_used", on: "(expires_at)" },
  {
    name: "song_requests_guests",
    table: "song_requests",
    on: "(created_at) WHERE requester LIKE 'guest\\_%' AND status <> 'pending'"
  },
  {
    name: "idempotency_secrets",
    table: "idempotency_keys",
    on: "(created_at) WHERE is_secret AND (body_sealed IS NOT NULL OR results <> '{}')"
  },
  {
    name: "segments_unheard_sounds",
    table: "segments",
    on: "(status_changed_at) WHERE asset_id IS NOT NULL AND status IN ('rejected', 'expired', 'cancelled')"
  }
]
/** Rows from which on building an index takes long enough to be done beside the running station. */
const largeRows = 100_000

const indexRow = onlyRow(Schema.Struct({ isValid: Schema.Boolean, rows: Schema.Finite }))

const build = Effect.fnUntraced(function* ({ name, on, table }: (typeof indexes)[number]) {
  const sql = yield* SqlClient.SqlClient
  // An interrupted build leaves an invalid index that is never used and occupies the name.
  yield* run(sql`DROP INDEX CONCURRENTLY IF EXISTS ${sql(name)}`)
  yield* run(sql`CREATE INDEX CONCURRENTLY ${sql(name)} ON ${sql(table)} ${sql.literal(on)}`)
})

/**
 * Builds the indexes that are missing, without locking their tables against writes. Needs a client without a statement timeout. Answers
 * what is left for the background, because its table is large.
 */
export const buildIndexes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const later: Array<Effect.Effect<void, never, SqlClient.SqlClient>> = []
  for (const index of indexes) {
    const { isValid, rows } = yield* indexRow(sql`
      SELECT coalesce((SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(${index.name})), false) AS is_valid,
        (SELECT reltuples FROM pg_class WHERE oid = to_regclass(${index.table}))::float8 AS rows`)
    if (isValid) continue
    if (rows < largeRows) yield* build(index)
    else
      later.push(
        Effect.logInfo(`database: building the index ${index.name} beside the running station`).pipe(
          Effect.andThen(build(index)),
          Effect.catchCause((cause) => Effect.logWarning(`database: the index ${index.name} could not be built`, cause))
        )
      )
  }
  return Effect.all(later, { discard: true })
})
