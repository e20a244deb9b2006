import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * What agents programme: the week as revisions, shows, plans, topics, panels with their recordings and clips, productions, and
 * the lore that comes of them. A run of a block belongs to one plan that may still air, whoever asks at the same time; of a
 * segment that belongs to a plan or a panel, nothing airs by itself.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE grid_revisions (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      valid_from timestamptz NOT NULL,
      blocks jsonb NOT NULL,
      made_by text NOT NULL,
      made_at timestamptz NOT NULL DEFAULT now()
    )`
  yield* sql`CREATE INDEX grid_revisions_valid ON grid_revisions (valid_from, id)`
  yield* sql`
    CREATE TABLE shows (
      id text PRIMARY KEY,
      slug text NOT NULL UNIQUE,
      title text NOT NULL,
      tagline text,
      description text,
      format text,
      audience text,
      genres jsonb NOT NULL,
      host_agent_id text NOT NULL REFERENCES agents (id),
      status text NOT NULL CHECK (status IN ('active', 'paused', 'retired')),
      block_id text,
      reserved_voice_ids jsonb NOT NULL,
      created_at timestamptz NOT NULL
    )`
  yield* sql`CREATE INDEX shows_of_agent ON shows (host_agent_id, created_at DESC)`
  yield* sql`
    ALTER TABLE plans
      ADD COLUMN command_key text,
      ADD COLUMN description text,
      ADD COLUMN format text,
      ADD COLUMN audience text,
      ADD COLUMN target_duration_sec double precision NOT NULL DEFAULT 0,
      ADD COLUMN planned_duration_sec double precision NOT NULL DEFAULT 0,
      ADD COLUMN status_reason text,
      ADD COLUMN items jsonb NOT NULL DEFAULT '[]',
      ADD COLUMN submissions integer NOT NULL DEFAULT 0,
      ADD COLUMN agent_show_id text,
      ADD COLUMN aired_items integer,
      ADD COLUMN aired_at timestamptz,
      ADD COLUMN fence bigint NOT NULL DEFAULT 0,
      ADD COLUMN created_at timestamptz NOT NULL DEFAULT now(),
      ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now()`
  yield* sql`CREATE UNIQUE INDEX plans_command ON plans (agent_id, command_key)`
  yield* sql`CREATE UNIQUE INDEX plans_occurrence ON plans (block_id, occurrence_start) WHERE status NOT IN ('cancelled', 'rejected')`
  yield* sql`CREATE INDEX plans_of_agent ON plans (agent_id, occurrence_start DESC, id DESC)`
  yield* sql`CREATE INDEX plans_open ON plans (occurrence_start) WHERE status IN ('draft', 'submitted', 'rejected')`
  // What the scheduler says of the items of a plan: when each was to begin, and why one doesn't.
  yield* sql`
    CREATE TABLE plan_parts (
      plan_id text NOT NULL REFERENCES plans (id),
      item_id text NOT NULL,
      planned_at timestamptz,
      why text,
      PRIMARY KEY (plan_id, item_id)
    )`
  yield* sql`ALTER TABLE segments ADD COLUMN plan_id text, ADD COLUMN session_id text`
  yield* sql`CREATE INDEX segments_of_plan ON segments (plan_id) WHERE plan_id IS NOT NULL`
  yield* sql`CREATE INDEX segments_of_session ON segments (session_id) WHERE session_id IS NOT NULL`
  yield* sql`CREATE INDEX segments_turns_waiting ON segments (created_at, id) WHERE category = 'panel_turn' AND status = 'queued'`
  yield* sql`
    CREATE TABLE topics (
      id text PRIMARY KEY,
      command_key text,
      title text NOT NULL,
      description text,
      category text NOT NULL,
      status text NOT NULL CHECK (status IN ('pending', 'active', 'filled', 'closed', 'expired')),
      agents_needed integer NOT NULL,
      agent_id text,
      source text NOT NULL,
      flags jsonb NOT NULL DEFAULT '[]',
      created_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL,
      filled_at timestamptz,
      UNIQUE (agent_id, command_key)
    )`
  yield* sql`CREATE INDEX topics_newest ON topics (created_at DESC, id DESC)`
  yield* sql`CREATE INDEX topics_of_agent ON topics (agent_id, created_at DESC)`
  yield* sql`CREATE INDEX topics_running ON topics (expires_at) WHERE status IN ('pending', 'active')`
  yield* sql`
    CREATE TABLE topic_contributions (
      topic_id text NOT NULL REFERENCES topics (id),
      agent_id text NOT NULL,
      segment_id text NOT NULL,
      at timestamptz NOT NULL,
      PRIMARY KEY (topic_id, agent_id)
    )`
  yield* sql`CREATE INDEX topic_contributions_of_segment ON topic_contributions (segment_id)`
  yield* sql`CREATE INDEX topics_filled ON topics (filled_at, id) WHERE status = 'filled'`
  yield* sql`
    CREATE TABLE panel_sessions (
      id text PRIMARY KEY,
      command_key text NOT NULL,
      show_id text NOT NULL REFERENCES shows (id),
      host_agent_id text NOT NULL,
      status text NOT NULL CHECK (status IN ('accepting_guests', 'recording', 'complete', 'ready_to_produce', 'stitched', 'expired', 'cancelled')),
      revision integer NOT NULL,
      wakes_at timestamptz,
      joinable_until timestamptz,
      body jsonb NOT NULL,
      created_at timestamptz NOT NULL,
      UNIQUE (host_agent_id, command_key)
    )`
  yield* sql`CREATE INDEX panel_sessions_of_show ON panel_sessions (show_id, created_at DESC, id DESC)`
  yield* sql`CREATE INDEX panel_sessions_due ON panel_sessions (wakes_at) WHERE wakes_at IS NOT NULL`
  yield* sql`CREATE INDEX panel_sessions_joinable ON panel_sessions (created_at DESC, id DESC) WHERE joinable_until IS NOT NULL`
  yield* sql`CREATE INDEX panel_sessions_open ON panel_sessions (host_agent_id) WHERE status IN ('accepting_guests', 'recording', 'complete', 'ready_to_produce')`
  yield* sql`
    CREATE TABLE panel_seats (
      session_id text NOT NULL REFERENCES panel_sessions (id),
      agent_id text NOT NULL,
      invited boolean NOT NULL,
      done boolean NOT NULL,
      PRIMARY KEY (session_id, agent_id)
    )`
  yield* sql`CREATE INDEX panel_seats_of_agent ON panel_seats (agent_id)`
  yield* sql`
    CREATE TABLE panel_recordings (
      session_id text PRIMARY KEY,
      asset_id text NOT NULL UNIQUE REFERENCES assets (id),
      body jsonb NOT NULL
    )`
  yield* sql`
    CREATE TABLE productions (
      id text PRIMARY KEY,
      agent_id text NOT NULL,
      command_key text NOT NULL,
      status text NOT NULL,
      revision integer NOT NULL,
      wakes_at timestamptz,
      leases integer NOT NULL DEFAULT 0,
      body jsonb NOT NULL,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      UNIQUE (agent_id, command_key)
    )`
  yield* sql`CREATE INDEX productions_due ON productions (wakes_at) WHERE wakes_at IS NOT NULL`
  yield* sql`CREATE INDEX productions_of_agent ON productions (agent_id, created_at DESC, id DESC)`
  yield* sql`
    CREATE TABLE replays (
      id text PRIMARY KEY,
      session_id text NOT NULL UNIQUE REFERENCES panel_sessions (id),
      segment_id text NOT NULL UNIQUE,
      show_slug text NOT NULL,
      aired_at timestamptz,
      published_at timestamptz,
      hidden boolean NOT NULL DEFAULT false,
      body jsonb NOT NULL,
      created_at timestamptz NOT NULL,
      changed_at timestamptz NOT NULL DEFAULT 'epoch',
      packaged_at timestamptz,
      package_tries integer NOT NULL DEFAULT 0,
      package_after timestamptz NOT NULL DEFAULT 'epoch'
    )`
  yield* sql`CREATE INDEX replays_unpackaged ON replays (package_after) WHERE packaged_at IS NULL`
  yield* sql`CREATE INDEX replays_published ON replays (published_at DESC, id DESC) WHERE published_at IS NOT NULL`
  yield* sql`
    CREATE TABLE clips (
      id text PRIMARY KEY,
      command_key text NOT NULL UNIQUE,
      replay_id text REFERENCES replays (id),
      session_id text,
      segment_id text NOT NULL,
      show_slug text,
      asset_id text NOT NULL UNIQUE,
      status text NOT NULL CHECK (status IN ('making', 'ready', 'failed')),
      tries integer NOT NULL DEFAULT 0,
      wakes_at timestamptz,
      published_at timestamptz,
      hidden boolean NOT NULL DEFAULT false,
      body jsonb NOT NULL,
      created_at timestamptz NOT NULL
    )`
  yield* sql`CREATE INDEX clips_due ON clips (wakes_at) WHERE wakes_at IS NOT NULL`
  yield* sql`CREATE INDEX clips_published ON clips (published_at DESC, id DESC) WHERE published_at IS NOT NULL`
  // What listeners like of a panel while they hear it: who is a hash, and all of it goes when the panel is over.
  yield* sql`
    CREATE TABLE replay_likes (
      segment_id text NOT NULL,
      liker text NOT NULL,
      at_sec double precision NOT NULL
    )`
  yield* sql`CREATE INDEX replay_likes_of_segment ON replay_likes (segment_id)`
  yield* sql`
    CREATE TABLE lore_entries (
      id text PRIMARY KEY,
      command_key text UNIQUE,
      category text NOT NULL,
      title text NOT NULL,
      summary text NOT NULL,
      refs jsonb NOT NULL,
      status text NOT NULL CHECK (status IN ('proposed', 'canonical', 'rejected', 'merged', 'disputed', 'retired')),
      operational boolean NOT NULL DEFAULT false,
      reference_count integer NOT NULL DEFAULT 0,
      merged_into_id text,
      merged_at timestamptz,
      topics jsonb NOT NULL,
      proposed_by text,
      canonical_since timestamptz,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL
    )`
  yield* sql`CREATE INDEX lore_newest ON lore_entries (created_at DESC, id DESC)`
  yield* sql`CREATE INDEX lore_of_title ON lore_entries (lower(title))`
  yield* sql`CREATE INDEX lore_merged ON lore_entries (merged_into_id) WHERE merged_into_id IS NOT NULL`
  // Said of it on the air: it counts once that has been heard.
  yield* sql`
    CREATE TABLE lore_mentions (
      entry_id text NOT NULL REFERENCES lore_entries (id),
      segment_id text NOT NULL,
      excerpt text NOT NULL,
      PRIMARY KEY (entry_id, segment_id)
    )`
  yield* sql`
    CREATE TABLE lore_versions (
      entry_id text NOT NULL REFERENCES lore_entries (id),
      version integer NOT NULL,
      title text NOT NULL,
      summary text NOT NULL,
      edited_by text,
      edited_at timestamptz NOT NULL,
      PRIMARY KEY (entry_id, version)
    )`
  yield* sql`
    CREATE TABLE uploads (
      id text PRIMARY KEY,
      agent_id text NOT NULL,
      purpose text NOT NULL CHECK (purpose IN ('speech', 'music', 'sample')),
      status text NOT NULL CHECK (status IN ('initiated', 'uploaded', 'processing', 'qc_passed', 'qc_failed', 'submitted', 'approved', 'rejected', 'expired')),
      file_name text NOT NULL,
      asset_id text REFERENCES assets (id),
      duration_sec double precision,
      transcript_text text,
      created_at timestamptz NOT NULL
    )`
  yield* sql`CREATE INDEX uploads_of_agent ON uploads (agent_id, created_at DESC)`
})
