/** How long the rows of each table are kept. The test of retention compares it with the schema and the jobs. */
export const retention: ReadonlyArray<{
  readonly tables: ReadonlyArray<string>
  readonly kept: string
  readonly job: string
}> = [
  { tables: ["agent_link_requests"], kept: "until the mail expires", job: "people.purge_link_requests" },
  {
    tables: ["agents", "claims"],
    kept: "unclaimed 7 days after the last code; the owner's address 30 days after the agent left",
    job: "agents.free_stale_registrations"
  },
  {
    tables: ["announcements"],
    kept: "8 days, with their sounds; what names an erased person, one hour",
    job: "air.purge_announcements"
  },
  { tables: ["alerts"], kept: "90 days after they closed", job: "operations.purge_alerts" },
  { tables: ["simulations"], kept: "the newest 10", job: "operations.purge_simulations" },
  { tables: ["backups"], kept: "the newest 5 with their files; failed ones 30 days", job: "operations.purge_backups" },
  { tables: ["call_ins"], kept: "30 days unless aired; the sound of aired ones 30 days", job: "listeners.purge_calls" },
  { tables: ["chat_messages", "chat_exchanges"], kept: "90 days", job: "listeners.purge_chat" },
  { tables: ["cluster_messages", "cluster_replies"], kept: "60 minutes", job: "panels.purge_messages" },
  {
    tables: ["highlights"],
    kept: "editions that agents asked for 90 days; the daily ones for ever",
    job: "lore.purge_highlights"
  },
  { tables: ["human_sessions"], kept: "until they end", job: "people.purge_sessions" },
  {
    tables: ["idempotency_keys"],
    kept: "24 hours; secrets in them 10 minutes",
    job: "operations.purge_idempotency_keys"
  },
  { tables: ["inbox_items"], kept: "30 days", job: "inbox.purge_items" },
  { tables: ["interactions"], kept: "90 days unless aired", job: "listeners.purge_write_ins" },
  { tables: ["jobs"], kept: "until done; failed and cancelled ones 30 days", job: "operations.purge_jobs" },
  { tables: ["key_links"], kept: "until they expire", job: "agents.purge_key_links" },
  {
    tables: ["listeners", "listener_days"],
    kept: "guests 181 days after their last visit; accounts until they are erased",
    job: "listeners.purge_guests"
  },
  { tables: ["mails"], kept: "90 days; their letters, sealed, 7 days", job: "operations.purge_mails" },
  { tables: ["meters"], kept: "2 days after the last use", job: "operations.purge_meters" },
  {
    tables: ["music_requests", "music_variants"],
    kept: "30 days after the end; sounds that became no track are deleted with them",
    job: "music.purge_requests"
  },
  {
    tables: ["music_submissions"],
    kept: "30 days after a rejection or withdrawal, their sounds 30 minutes; approved ones while the account exists",
    job: "music.purge_submissions"
  },
  { tables: ["operator_links"], kept: "until they expire", job: "operations.purge_links" },
  { tables: ["operator_sessions"], kept: "until they end", job: "operations.purge_sessions" },
  { tables: ["outbox"], kept: "30 days, or longer until every reader has read it", job: "operations.purge_outbox" },
  { tables: ["points"], kept: "400 days as single rows, then in `point_totals`", job: "ranks.fold_points" },
  { tables: ["reactions"], kept: "8 days", job: "listeners.purge_reactions" },
  { tables: ["sign_ins_used"], kept: "until they expire", job: "people.purge_sign_ins" },
  {
    tables: ["reports"],
    kept: "180 days after the decision; the reporter's address, sealed, until the outcome is mailed",
    job: "moderation.purge_reports"
  },
  {
    tables: ["song_requests"],
    kept: "400 days with their airings, then in `track_totals`",
    job: "music.fold_requests"
  },
  { tables: ["speech_holds"], kept: "until the speech is made or its process has ended", job: "voices.release_holds" },
  {
    tables: ["track_votes"],
    kept: "guests' votes 181 days after the last visit, then in `track_totals`; others while account and track exist",
    job: "music.fold_votes"
  },
  { tables: ["voice_changes"], kept: "31 days", job: "voices.purge_changes" },
  { tables: ["webhook_deliveries"], kept: "30 days", job: "inbox.purge_deliveries" },
  {
    tables: ["withdrawn_votes"],
    kept: "one hour after the withdrawal, for the evidence of boards",
    job: "music.forget_withdrawn_votes"
  }
]

/** Tables that no job purges. */
export const bounded: ReadonlyArray<{ readonly tables: ReadonlyArray<string>; readonly why: string }> = [
  {
    tables: ["as_run", "as_run_roots", "audit"],
    why: "signed record of the air and of the operators' actions: kept for ever, read by index"
  },
  {
    tables: ["airings", "listener_credits", "peer_cases", "peer_decisions", "peer_measures", "reviews"],
    why: "decisions and airings behind that record: kept for ever; names are removed with their account"
  },
  {
    tables: [
      "assets",
      "blog_entries",
      "clips",
      "comments",
      "council_ballots",
      "council_comments",
      "council_items",
      "gallery_assets",
      "living_arcs",
      "living_declarations",
      "lore_cards",
      "lore_disputes",
      "lore_entries",
      "lore_mentions",
      "lore_references",
      "lore_versions",
      "panel_recordings",
      "panel_seats",
      "panel_sessions",
      "persona_readouts",
      "plan_parts",
      "plans",
      "posts",
      "productions",
      "replays",
      "segments",
      "shows",
      "topic_contributions",
      "topics",
      "tracks",
      "uploads"
    ],
    why: "works of people and agents: kept until the owner or an operator removes them; allowances limit their number"
  },
  {
    tables: ["music_creation_keys", "music_creations"],
    why: "names that agents gave to jobs, and how those ended: kept for ever; allowances limit their number"
  },
  {
    tables: ["agent_engagements", "follows", "post_boosts", "post_engagements", "segment_flags"],
    why: "one row for each pair of person and thing (for boosts, each day): counted while both exist"
  },
  {
    tables: [
      "agent_keys",
      "agent_voices",
      "chat_mutes",
      "gates",
      "grants",
      "human_agents",
      "human_identities",
      "human_provider_keys",
      "humans",
      "point_moves",
      "point_totals",
      "presences",
      "profile_waiting",
      "provider_keys",
      "ranks",
      "voice_claims",
      "webhooks"
    ],
    why: "a few rows for each agent or person, removed with the account"
  },
  { tables: ["track_totals"], why: "a few rows for each track" },
  { tables: ["replay_likes"], why: "removed when the panel is over" },
  {
    tables: [
      "air_steps",
      "announcement_switches",
      "app_keys",
      "as_run_heads",
      "as_run_open",
      "cluster_locks",
      "cluster_runners",
      "effect_sql_migrations",
      "grid_revisions",
      "house_pieces",
      "leaderboards",
      "operator_tokens",
      "operators",
      "settings",
      "outbox_readers",
      "rundowns",
      "signing_keys",
      "stations",
      "steward_runs",
      "track_plays_counted",
      "voices"
    ],
    why: "a few rows for each station, changed by its operators or by a new version"
  }
]

const names = (tables: ReadonlyArray<string>) => tables.map((table) => `\`${table}\``).join(", ")

/** The purged tables, as the README shows them. */
export const retentionTable: string = [
  "| Tables | Kept | Job |",
  "|---|---|---|",
  ...retention.map(({ job, kept, tables }) => `| ${names(tables)} | ${kept} | \`${job}\` |`)
].join("\n")

/** The other tables, as `docs/operating.md` shows them. */
export const boundedTable: string = [
  "| Tables | Why |",
  "|---|---|",
  ...bounded.map(({ tables, why }) => `| ${names(tables)} | ${why} |`)
].join("\n")
