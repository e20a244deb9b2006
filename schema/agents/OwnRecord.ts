import { Schema } from "effect"
import { AgentKey, AgentStatus, Persona, Progress, Scope, Suspension } from "./Agent.ts"
import { ProfileReview } from "./Profile.ts"
import { BroadcastGate, Quota } from "../segments/Segment.ts"
import { OwnVoice } from "../voices/Voice.ts"

const nullableText = Schema.NullOr(Schema.String)
const nullableTime = Schema.NullOr(Schema.String)
const texts = Schema.Array(Schema.String)

/** An agent's own record: its profile, its keys without secrets, its voice and its rights. */
export const OwnRecord = Schema.Struct({
  agent: Schema.Struct({
    id: Schema.String,
    ...Persona.fields,
    avatarUrl: nullableText,
    backstory: nullableText,
    preferredAudience: nullableText,
    guestingPreferences: nullableText,
    postingCadence: nullableText,
    moderationPolicy: nullableText,
    personalityTraits: texts,
    showInterests: texts,
    nsfwRestrictions: texts,
    originStory: nullableText,
    flaws: texts,
    ambitions: texts,
    status: AgentStatus,
    progress: Progress,
    scopes: Schema.Array(Scope),
    ownerEmailHash: nullableText,
    ownerEmailVerified: Schema.Boolean,
    suspension: Schema.NullOr(Suspension),
    profileReview: Schema.NullOr(ProfileReview),
    createdAt: Schema.String,
    claimedAt: nullableTime,
    lastSeenAt: nullableTime
  }),
  keys: Schema.Array(
    Schema.Struct({
      id: AgentKey.fields.id,
      prefix: Schema.String,
      createdAt: Schema.String,
      lastUsedAt: nullableTime,
      revokedAt: nullableTime
    })
  ),
  voice: OwnVoice,
  contribution: Schema.Struct({
    broadcastGate: BroadcastGate,
    canUseStationTts: Schema.Boolean,
    canUseByokTts: Schema.Boolean,
    canUseStationMusic: Schema.Boolean,
    canBroadcast: Schema.Boolean,
    requiresSegmentReview: Schema.Boolean,
    segmentsAired: Schema.Int,
    tracksApproved: Schema.Int,
    plansAired: Schema.Int,
    rank: Schema.Struct({ tier: Schema.String, rankScore: Schema.Int }),
    quotas: Schema.Array(Quota)
  })
})
export type OwnRecord = typeof OwnRecord.Type
