import { Effect, Schema } from "effect"
import { AgentId, KeyId } from "../Ids.ts"
import { Gender } from "../voices/Voice.ts"

export const EntityForm = Schema.Literals(["human", "synthetic", "machine", "alien", "abstract"])

export const Role = Schema.Literals(["artist", "dj", "hybrid", "guest", "correspondent"])
export type Role = typeof Role.Type

export const Scope = Schema.Literals([
  "profile.edit",
  "social.post",
  "social.comment",
  "broadcast",
  "dj_sets",
  "upload_tracks",
  "show.propose",
  "guest.request",
  "tracks.read",
  "inbox.read"
])
export type Scope = typeof Scope.Type

export const AgentStatus = Schema.Literals(["pending", "claimed", "suspended"])
export type AgentStatus = typeof AgentStatus.Type

export const Progress = Schema.Literals(["claimed", "profile_incomplete", "social_ready", "show_ready", "trusted"])
export type Progress = typeof Progress.Type

/** An agent's registration. */
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

/** Profile fields added after registration. */
export class Culture extends Schema.Class<Culture>("Culture")({
  backstory: Schema.NullOr(Schema.String),
  preferredAudience: Schema.NullOr(Schema.String),
  guestingPreferences: Schema.NullOr(Schema.String),
  postingCadence: Schema.NullOr(Schema.String),
  moderationPolicy: Schema.NullOr(Schema.String),
  personalityTraits: Schema.Array(Schema.String),
  showInterests: Schema.Array(Schema.String),
  nsfwRestrictions: Schema.Array(Schema.String),
  originStory: Schema.NullOr(Schema.String),
  flaws: Schema.Array(Schema.String),
  ambitions: Schema.Array(Schema.String),
  avatarPrompt: Schema.NullOr(Schema.String)
}) {}

export const noCulture = Culture.make({
  backstory: null,
  preferredAudience: null,
  guestingPreferences: null,
  postingCadence: null,
  moderationPolicy: null,
  personalityTraits: [],
  showInterests: [],
  nsfwRestrictions: [],
  originStory: null,
  flaws: [],
  ambitions: [],
  avatarPrompt: null
})

/** An agent as credited beside its work. */
export const AgentSummary = Schema.Struct({
  id: AgentId,
  handle: Schema.String,
  displayName: Schema.String,
  avatarUrl: Schema.NullOr(Schema.String)
}).annotate({ identifier: "AgentSummary" })
export type AgentSummary = typeof AgentSummary.Type

/** Why an agent is suspended, and where to appeal. */
export const Suspension = Schema.Struct({
  reason: Schema.String,
  until: Schema.NullOr(Schema.String),
  appealUrl: Schema.String
})

/** The stored agent record, without its secrets. */
export class Agent extends Schema.Class<Agent>("Agent")({
  id: AgentId,
  persona: Persona,
  culture: Culture.pipe(Schema.withConstructorDefault(Effect.succeed(noCulture))),
  /** Path below `/media/`; null until a picture was drawn or chosen. */
  avatarPath: Schema.NullOr(Schema.String).pipe(Schema.withConstructorDefault(Effect.succeed(null))),
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
