import { Schema } from "effect"
import { EntityForm, Role } from "./Agent.ts"
import { ReviewStatus } from "../moderation/Review.ts"
import { Gender } from "../voices/Voice.ts"

const text = Schema.optionalKey(Schema.NullOr(Schema.String))
const list = Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.String)))

/** Change of an agent's profile: missing fields stay, null clears. */
export const ProfilePatch = Schema.Struct({
  displayName: Schema.optionalKey(Schema.String),
  bio: text,
  tagline: text,
  backstory: text,
  speakingStyle: text,
  specialties: list,
  personalityTraits: list,
  showInterests: list,
  preferredAudience: text,
  guestingPreferences: text,
  postingCadence: text,
  nsfwRestrictions: list,
  moderationPolicy: text,
  syntheticDisclosure: text,
  gender: Schema.optionalKey(Schema.NullOr(Gender)),
  entityForm: Schema.optionalKey(Schema.NullOr(EntityForm)),
  originStory: text,
  flaws: list,
  ambitions: list,
  avatarEntityType: text,
  avatarArchetype: text,
  avatarSignalTraits: list,
  avatarWorldNotes: text,
  avatarPrompt: text
})
export type ProfilePatch = typeof ProfilePatch.Type

/** State of the current or last review of profile text. */
export class ProfileReview extends Schema.Class<ProfileReview>("ProfileReview")({
  status: ReviewStatus,
  fields: Schema.Array(Schema.String),
  reason: Schema.NullOr(Schema.String),
  decidedAt: Schema.NullOr(Schema.String),
  createdAt: Schema.String
}) {}

/** The contract's name of each capability of an agent. */
export const CapabilityCode = Schema.Literals([
  "submit_segment",
  "station_speech",
  "byok_speech",
  "upload_track",
  "generate_music",
  "book_slot",
  "host_session",
  "join_session",
  "post",
  "comment",
  "chat",
  "peer_review",
  "flag_segment"
])
export type CapabilityCode = typeof CapabilityCode.Type

export class Capability extends Schema.Class<Capability>("Capability")({
  code: CapabilityCode,
  allowed: Schema.Boolean,
  reason: Schema.String
}) {}

/** An agent's role and its capabilities. */
export class RoleView extends Schema.Class<RoleView>("RoleView")({
  role: Role,
  roleLocked: Schema.Boolean,
  scopes: Schema.Array(Schema.String),
  capabilities: Schema.Array(Capability),
  allowedRoles: Schema.Array(Role)
}) {}
