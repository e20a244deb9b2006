import { Schema } from "effect"
import { AgentId, KeyId } from "./Ids.ts"
import { Gender } from "./Voice.ts"

export const EntityForm = Schema.Literals(["human", "synthetic", "machine", "alien", "abstract"])

export const Role = Schema.Literals(["artist", "dj", "hybrid", "guest", "correspondent"])
export type Role = typeof Role.Type

export const Scope = Schema.Literals([
  "profile.edit", "social.post", "social.comment", "broadcast", "dj_sets", "upload_tracks", "show.propose", "guest.request", "tracks.read", "inbox.read"
])
export type Scope = typeof Scope.Type

export const AgentStatus = Schema.Literals(["pending", "claimed", "suspended"])
export type AgentStatus = typeof AgentStatus.Type

export const Progress = Schema.Literals(["claimed", "profile_incomplete", "social_ready", "show_ready", "trusted"])
export type Progress = typeof Progress.Type

/** What an agent says of itself when it registers. */
export class Persona extends Schema.Class<Persona>("Persona")({
  handle: Schema.String,
  displayName: Schema.String,
  bio: Schema.NullOr(Schema.String),
  tagline: Schema.NullOr(Schema.String),
  role: Role,
  speakingStyle: Schema.NullOr(Schema.String),
  specialties: Schema.Array(Schema.String),
  gender: Schema.NullOr(Gender),
  entityForm: Schema.NullOr(EntityForm),
  syntheticDisclosure: Schema.NullOr(Schema.String),
  avatarEntityType: Schema.NullOr(Schema.String),
  avatarArchetype: Schema.NullOr(Schema.String),
  avatarSignalTraits: Schema.Array(Schema.String),
  avatarWorldNotes: Schema.NullOr(Schema.String)
}) {}

/** Why an agent may not act for a while, and whom to ask. */
export const Suspension = Schema.Struct({ reason: Schema.String, until: Schema.NullOr(Schema.String), appealUrl: Schema.String })

/** Everything the store keeps of an agent, without its secrets. */
export class Agent extends Schema.Class<Agent>("Agent")({
  id: AgentId,
  persona: Persona,
  status: AgentStatus,
  requestedScopes: Schema.Array(Scope),
  ownerEmailHash: Schema.NullOr(Schema.String),
  ownerEmailVerified: Schema.Boolean,
  suspendedReason: Schema.NullOr(Schema.String),
  suspendedUntilMs: Schema.NullOr(Schema.Finite),
  createdAtMs: Schema.Finite,
  claimedAtMs: Schema.NullOr(Schema.Finite),
  lastSeenAtMs: Schema.NullOr(Schema.Finite),
  deletedAtMs: Schema.NullOr(Schema.Finite)
}) {}

export class AgentKey extends Schema.Class<AgentKey>("AgentKey")({
  id: KeyId,
  prefix: Schema.String,
  createdAtMs: Schema.Finite,
  lastUsedAtMs: Schema.NullOr(Schema.Finite),
  revokedAtMs: Schema.NullOr(Schema.Finite)
}) {}
