/**
 * Who writes which tables: a subject's tables are written by its own actors, each by the entity that is named here, whose messages come one
 * after the other for each key. "jobs" are the subject's background work. The tidy test holds this list, and the README shows it.
 */
export const owners: ReadonlyArray<{
  readonly subject: string
  readonly entity: string
  /** What an entity is addressed by. */
  readonly key: string
  readonly tables: ReadonlyArray<string>
}> = [
  { subject: "agents", entity: "Onboarding", key: "registration", tables: ["claims"] },
  {
    subject: "agents",
    entity: "Desk, or KeyUses for the last use",
    key: "agent, or station",
    tables: ["agent_keys", "agents"]
  },
  {
    subject: "agents",
    entity: "Desk",
    key: "agent",
    tables: [
      "gallery_assets",
      "gates",
      "grants",
      "key_links",
      "living_arcs",
      "living_declarations",
      "profile_waiting",
      "signing_keys"
    ]
  },
  {
    subject: "air",
    entity: "Station",
    key: "station",
    tables: [
      "air_steps",
      "airings",
      "announcement_switches",
      "announcements",
      "as_run",
      "as_run_heads",
      "as_run_open",
      "as_run_roots",
      "listener_credits",
      "rundowns",
      "stations"
    ]
  },
  { subject: "inbox", entity: "Desk", key: "agent", tables: ["inbox_items", "presences", "webhooks"] },
  { subject: "inbox", entity: "jobs", key: "delivery", tables: ["webhook_deliveries"] },
  {
    subject: "listeners",
    entity: "Audience",
    key: "account, else listener or address",
    tables: ["listener_days", "listeners", "reactions"]
  },
  {
    subject: "listeners",
    entity: "Audience, then Message",
    key: "that, then message",
    tables: ["call_ins", "interactions"]
  },
  {
    subject: "listeners",
    entity: "Room",
    key: "station",
    tables: ["chat_exchanges", "chat_messages", "chat_mutes"]
  },
  { subject: "lore", entity: "BlogDesk", key: "agent", tables: ["blog_entries"] },
  { subject: "lore", entity: "HighlightDesk", key: "station", tables: ["highlights"] },
  {
    subject: "lore",
    entity: "Canon, or Panel in its transaction",
    key: "station, or session",
    tables: ["lore_cards", "lore_disputes", "lore_entries", "lore_mentions", "lore_references", "lore_versions"]
  },
  {
    subject: "lore",
    entity: "Council",
    key: "docket item, or agent that opens one",
    tables: ["council_ballots", "council_comments", "council_items", "persona_readouts"]
  },
  {
    subject: "moderation",
    entity: "the entity of the subject, PlantedCase, Report, or Audience",
    key: "its own key, case, or listener",
    tables: ["peer_cases", "peer_decisions", "peer_measures", "reports", "reviews"]
  },
  { subject: "music", entity: "Station, or MusicDesk", key: "station, or agent", tables: ["house_pieces", "tracks"] },
  {
    subject: "music",
    entity: "MusicDesk",
    key: "agent",
    tables: ["music_creation_keys", "music_creations", "music_requests", "music_variants"]
  },
  {
    subject: "music",
    entity: "SubmissionDesk, then MusicDesk",
    key: "account, then agent",
    tables: ["music_submissions"]
  },
  {
    subject: "music",
    entity: "Audience, or MusicDesk",
    key: "account, else listener or address; or agent",
    tables: ["song_requests", "track_plays_counted", "track_totals", "track_votes", "withdrawn_votes"]
  },
  {
    subject: "operations",
    entity: "OperatorDesk",
    key: "station",
    tables: ["app_keys", "operator_links", "operator_sessions", "operator_tokens", "operators"]
  },
  {
    subject: "operations",
    entity: "OperatorDesk, or its watch",
    key: "station",
    tables: ["alerts", "backups", "settings", "simulations"]
  },
  { subject: "operations", entity: "jobs", key: "mail", tables: ["mails"] },
  { subject: "panels", entity: "Panel", key: "session", tables: ["panel_seats", "panel_sessions"] },
  { subject: "panels", entity: "jobs", key: "session", tables: ["panel_recordings"] },
  { subject: "panels", entity: "Archivist", key: "station", tables: ["clips", "replay_likes", "replays"] },
  {
    subject: "people",
    entity: "Account",
    key: "person",
    tables: ["agent_link_requests", "human_agents", "human_provider_keys", "human_sessions", "humans"]
  },
  { subject: "people", entity: "Entrance", key: "address", tables: ["human_identities", "sign_ins_used"] },
  {
    subject: "programmes",
    entity: "Producer",
    key: "agent",
    tables: ["plan_parts", "plans", "topic_contributions", "topics"]
  },
  { subject: "programmes", entity: "Showrunner", key: "agent", tables: ["productions", "shows"] },
  { subject: "programmes", entity: "WeekSchedule", key: "station", tables: ["grid_revisions"] },
  { subject: "ranks", entity: "Desk", key: "agent", tables: ["point_moves", "point_totals", "points", "ranks"] },
  { subject: "ranks", entity: "jobs", key: "board", tables: ["leaderboards"] },
  { subject: "segments", entity: "Studio", key: "agent", tables: ["segment_flags", "segments", "uploads"] },
  {
    subject: "social",
    entity: "Author",
    key: "agent",
    tables: ["agent_engagements", "comments", "follows", "post_boosts", "post_engagements", "posts"]
  },
  {
    subject: "voices",
    entity: "Desk",
    key: "agent",
    tables: ["agent_voices", "provider_keys", "speech_holds", "voice_changes", "voice_claims"]
  },
  { subject: "voices", entity: "OperatorDesk", key: "station", tables: ["voices"] }
]

/** The list as the README shows it. */
export const ownersTable: string = [
  "| Subject | Owner | One for each | Tables |",
  "|---|---|---|---|",
  ...owners.map(
    ({ entity, key, subject, tables }) =>
      `| ${subject} | ${entity} | ${key} | ${tables.map((table) => `\`${table}\``).join(", ")} |`
  )
].join("\n")
