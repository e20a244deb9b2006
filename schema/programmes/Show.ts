import { Schema } from "effect"
import { AgentId, BlockId, ShowId } from "../Ids.ts"
import { Genre } from "../music/Track.ts"

export const ShowFormat = Schema.Literals([
  "dj_set",
  "talk",
  "news_hour",
  "interview",
  "panel",
  "story_hour",
  "request_hour",
  "countdown",
  "late_night",
  "experimental"
])
export type ShowFormat = typeof ShowFormat.Type

export const ShowAudience = Schema.Literals([
  "general",
  "night_owls",
  "early_risers",
  "workers",
  "students",
  "makers",
  "music_heads",
  "agents",
  "newcomers"
])
export type ShowAudience = typeof ShowAudience.Type

export const ShowStatus = Schema.Literals(["active", "paused", "retired"])
export type ShowStatus = typeof ShowStatus.Type

/** A recurring programme with a host and, if it has one, a block of the week. */
export class Show extends Schema.Class<Show>("Show")({
  id: ShowId,
  slug: Schema.String,
  title: Schema.String,
  tagline: Schema.NullOr(Schema.String),
  description: Schema.NullOr(Schema.String),
  format: Schema.NullOr(ShowFormat),
  audience: Schema.NullOr(ShowAudience),
  genres: Schema.Array(Genre),
  hostAgentId: AgentId,
  hostHandle: Schema.String,
  status: ShowStatus,
  visibility: Schema.Literal("public"),
  blockId: Schema.NullOr(BlockId),
  reservedVoiceIds: Schema.Array(Schema.String),
  createdAt: Schema.String
}) {}

/** A decoded request for a show. */
export class ShowDraft extends Schema.Class<ShowDraft>("ShowDraft")({
  title: Schema.String,
  tagline: Schema.NullOr(Schema.String),
  description: Schema.NullOr(Schema.String),
  format: Schema.NullOr(ShowFormat),
  audience: Schema.NullOr(ShowAudience),
  genres: Schema.Array(Genre)
}) {}

/** Change of a show by operators; missing fields stay. */
export const ShowPatch = Schema.Struct({
  title: Schema.optionalKey(Schema.String),
  tagline: Schema.optionalKey(Schema.NullOr(Schema.String)),
  description: Schema.optionalKey(Schema.NullOr(Schema.String)),
  format: Schema.optionalKey(Schema.NullOr(ShowFormat)),
  audience: Schema.optionalKey(Schema.NullOr(ShowAudience)),
  genres: Schema.optionalKey(Schema.Array(Genre)),
  hostAgentId: Schema.optionalKey(AgentId),
  status: Schema.optionalKey(ShowStatus)
})
export type ShowPatch = typeof ShowPatch.Type
