import type { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import migration0001 from "./migrations/0001-0049/0001_stations.ts"
import migration0010 from "./migrations/0001-0049/0010_agents.ts"
import migration0020 from "./migrations/0001-0049/0020_voices.ts"
import migration0021 from "./migrations/0001-0049/0021_broadcast_standing.ts"
import migration0022 from "./migrations/0001-0049/0022_segments.ts"
import migration0023 from "./migrations/0001-0049/0023_reviews.ts"
import migration0024 from "./migrations/0001-0049/0024_audit.ts"
import migration0025 from "./migrations/0001-0049/0025_outbox.ts"
import migration0030 from "./migrations/0001-0049/0030_assets.ts"
import migration0031 from "./migrations/0001-0049/0031_tracks.ts"
import migration0032 from "./migrations/0001-0049/0032_rundowns.ts"
import migration0033 from "./migrations/0001-0049/0033_as_run.ts"
import migration0036 from "./migrations/0001-0049/0036_operators.ts"
import migration0040 from "./migrations/0001-0049/0040_claim_owners.ts"
import migration0041 from "./migrations/0001-0049/0041_speech_holds.ts"
import migration0042 from "./migrations/0001-0049/0042_as_run_heads.ts"
import migration0043 from "./migrations/0001-0049/0043_profiles.ts"
import migration0044 from "./migrations/0001-0049/0044_identity.ts"
import migration0045 from "./migrations/0001-0049/0045_agent_voices.ts"
import migration0046 from "./migrations/0001-0049/0046_persona.ts"
import migration0047 from "./migrations/0001-0049/0047_ranks.ts"
import migration0048 from "./migrations/0001-0049/0048_posts.ts"
import migration0049 from "./migrations/0001-0049/0049_engagement.ts"
import migration0050 from "./migrations/0050-0099/0050_gallery.ts"
import migration0051 from "./migrations/0050-0099/0051_inboxes.ts"
import migration0052 from "./migrations/0050-0099/0052_webhooks.ts"
import migration0053 from "./migrations/0050-0099/0053_listeners.ts"
import migration0055 from "./migrations/0050-0099/0055_accounts.ts"
import migration0057 from "./migrations/0050-0099/0057_song_requests.ts"
import migration0059 from "./migrations/0050-0099/0059_chat.ts"
import migration0060 from "./migrations/0050-0099/0060_leaderboards.ts"
import migration0070 from "./migrations/0050-0099/0070_listener_reviews.ts"
import migration0071 from "./migrations/0050-0099/0071_call_ins.ts"
import migration0072 from "./migrations/0050-0099/0072_music_catalog.ts"
import migration0080 from "./migrations/0050-0099/0080_shows.ts"
import migration0081 from "./migrations/0050-0099/0081_media_uploads.ts"
import migration0082 from "./migrations/0050-0099/0082_plan_reads.ts"
import migration0083 from "./migrations/0050-0099/0083_upload_sounds.ts"
import migration0084 from "./migrations/0050-0099/0084_production_news.ts"
import migration0085 from "./migrations/0050-0099/0085_key_links.ts"
import migration0086 from "./migrations/0050-0099/0086_as_run_open_items.ts"
import migration0087 from "./migrations/0050-0099/0087_synthetic_marks.ts"
import migration0088 from "./migrations/0050-0099/0088_jobs.ts"
import migration0089 from "./migrations/0050-0099/0089_waiting_jobs.ts"
import migration0090 from "./migrations/0050-0099/0090_airings.ts"
import migration0091 from "./migrations/0050-0099/0091_segment_airings.ts"
import migration0092 from "./migrations/0050-0099/0092_command_results.ts"
import migration0093 from "./migrations/0050-0099/0093_optional_command_keys.ts"
import migration0094 from "./migrations/0050-0099/0094_webhooks_without_command_keys.ts"
import migration0095 from "./migrations/0050-0099/0095_productions_without_command_keys.ts"
import migration0096 from "./migrations/0050-0099/0096_operator_identities.ts"
import migration0097 from "./migrations/0050-0099/0097_owners_agree.ts"
import migration0098 from "./migrations/0050-0099/0098_topic_sources.ts"
import migration0099 from "./migrations/0050-0099/0099_music_to_come.ts"
import migration0100 from "./migrations/0100-0149/0100_point_totals.ts"
import migration0101 from "./migrations/0100-0149/0101_track_totals.ts"
import migration0102 from "./migrations/0100-0149/0102_tracks_of_agents.ts"
import migration0103 from "./migrations/0100-0149/0103_operator_second_factor.ts"
import migration0105 from "./migrations/0100-0149/0105_segment_flags.ts"
import migration0110 from "./migrations/0100-0149/0110_music_requests.ts"
import migration0111 from "./migrations/0100-0149/0111_track_facts.ts"
import migration0115 from "./migrations/0100-0149/0115_remixes.ts"
import migration0119 from "./migrations/0100-0149/0119_board_evidence.ts"
import migration0123 from "./migrations/0100-0149/0123_lore_of_agents.ts"
import migration0124 from "./migrations/0100-0149/0124_council.ts"
import migration0125 from "./migrations/0100-0149/0125_lore_statuses.ts"
import migration0126 from "./migrations/0100-0149/0126_music_submissions.ts"
import migration0127 from "./migrations/0100-0149/0127_sound_prints.ts"
import migration0135 from "./migrations/0100-0149/0135_peer_moderation.ts"
import migration0140 from "./migrations/0100-0149/0140_blog.ts"
import migration0141 from "./migrations/0100-0149/0141_highlights.ts"
import migration0142 from "./migrations/0100-0149/0142_music_creations.ts"
import migration0150 from "./migrations/0150_announcements.ts"
import migration0155 from "./migrations/0155_alerts.ts"
import migration0156 from "./migrations/0156_settings.ts"
import migration0157 from "./migrations/0157_mail_letters.ts"
import migration0158 from "./migrations/0158_backups.ts"
import migration0170 from "./migrations/0170_submissions_for_operators.ts"
import migration0180 from "./migrations/0180_simulations.ts"
import migration0187 from "./migrations/0187_reports.ts"
import migration0240 from "./migrations/0240_air_lease.ts"
import migration0250 from "./migrations/0250_air_steps.ts"
import migration0265 from "./migrations/0265_air_taker.ts"

/** Every schema change in order. Numbers are never reused; a landed migration is never edited. */
export const migrations: Record<string, Effect.Effect<unknown, unknown, SqlClient.SqlClient>> = {
  "0001_stations": migration0001,
  "0010_agents": migration0010,
  "0020_voices": migration0020,
  "0021_broadcast_standing": migration0021,
  "0022_segments": migration0022,
  "0023_reviews": migration0023,
  "0024_audit": migration0024,
  "0025_outbox": migration0025,
  "0030_assets": migration0030,
  "0031_tracks": migration0031,
  "0032_rundowns": migration0032,
  "0033_as_run": migration0033,
  "0036_operators": migration0036,
  "0040_claim_owners": migration0040,
  "0041_speech_holds": migration0041,
  "0042_as_run_heads": migration0042,
  "0043_profiles": migration0043,
  "0044_identity": migration0044,
  "0045_agent_voices": migration0045,
  "0046_persona": migration0046,
  "0047_ranks": migration0047,
  "0048_posts": migration0048,
  "0049_engagement": migration0049,
  "0050_gallery": migration0050,
  "0051_inboxes": migration0051,
  "0052_webhooks": migration0052,
  "0053_listeners": migration0053,
  "0055_accounts": migration0055,
  "0057_song_requests": migration0057,
  "0059_chat": migration0059,
  "0060_leaderboards": migration0060,
  "0070_listener_reviews": migration0070,
  "0071_call_ins": migration0071,
  "0072_music_catalog": migration0072,
  "0080_shows": migration0080,
  "0081_media_uploads": migration0081,
  "0082_plan_reads": migration0082,
  "0083_upload_sounds": migration0083,
  "0084_production_news": migration0084,
  "0085_key_links": migration0085,
  "0086_as_run_open_items": migration0086,
  "0087_synthetic_marks": migration0087,
  "0088_jobs": migration0088,
  "0089_waiting_jobs": migration0089,
  "0090_airings": migration0090,
  "0091_segment_airings": migration0091,
  "0092_command_results": migration0092,
  "0093_optional_command_keys": migration0093,
  "0094_webhooks_without_command_keys": migration0094,
  "0095_productions_without_command_keys": migration0095,
  "0096_operator_identities": migration0096,
  "0097_owners_agree": migration0097,
  "0098_topic_sources": migration0098,
  "0099_music_to_come": migration0099,
  "0100_point_totals": migration0100,
  "0101_track_totals": migration0101,
  "0102_tracks_of_agents": migration0102,
  "0103_operator_second_factor": migration0103,
  "0105_segment_flags": migration0105,
  "0110_music_requests": migration0110,
  "0111_track_facts": migration0111,
  "0115_remixes": migration0115,
  "0119_board_evidence": migration0119,
  "0123_lore_of_agents": migration0123,
  "0124_council": migration0124,
  "0125_lore_statuses": migration0125,
  "0126_music_submissions": migration0126,
  "0127_sound_prints": migration0127,
  "0135_peer_moderation": migration0135,
  "0140_blog": migration0140,
  "0141_highlights": migration0141,
  "0142_music_creations": migration0142,
  "0150_announcements": migration0150,
  "0155_alerts": migration0155,
  "0156_settings": migration0156,
  "0157_mail_letters": migration0157,
  "0158_backups": migration0158,
  "0170_submissions_for_operators": migration0170,
  "0180_simulations": migration0180,
  "0187_reports": migration0187,
  "0240_air_lease": migration0240,
  "0250_air_steps": migration0250,
  "0265_air_taker": migration0265
}
