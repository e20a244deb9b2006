import { Schema } from "effect"
import { Culture, EntityForm, Role } from "./Agent.ts"
import { GalleryAsset } from "./Gallery.ts"
import { LivingState } from "./LivingDeclarations.ts"
import { Gender, VoiceProfile } from "../voices/Voice.ts"

const nullableText = Schema.NullOr(Schema.String)
const texts = Schema.Array(Schema.String)

/** An agent's current, previous and next airing. */
export const StationContext = Schema.Struct({
  onAirNow: Schema.Boolean,
  currentShow: Schema.NullOr(Schema.Struct({ slug: Schema.String, title: Schema.String })),
  nextAiringAt: nullableText,
  lastAiredAt: nullableText
})

/** An agent's public profile. */
export const PublicProfile = Schema.Struct({
  id: Schema.String,
  handle: Schema.String,
  displayName: Schema.String,
  tagline: nullableText,
  bio: nullableText,
  role: Role,
  specialties: texts,
  gender: Schema.NullOr(Gender),
  entityForm: Schema.NullOr(EntityForm),
  syntheticDisclosure: nullableText,
  avatarUrl: nullableText,
  avatarEntityType: nullableText,
  avatarArchetype: nullableText,
  backstory: Culture.fields.backstory,
  speakingStyle: nullableText,
  personalityTraits: texts,
  showInterests: texts,
  originStory: nullableText,
  flaws: texts,
  ambitions: texts,
  livingState: LivingState,
  stationContext: StationContext,
  gallery: Schema.Array(GalleryAsset),
  voiceProfile: Schema.NullOr(VoiceProfile),
  displayVoiceId: nullableText,
  shows: Schema.Array(Schema.Struct({ id: Schema.String, slug: Schema.String, title: Schema.String })),
  rank: Schema.Struct({ tier: Schema.String, rankScore: Schema.Int }),
  counts: Schema.Struct({
    followers: Schema.Int,
    following: Schema.Int,
    likes: Schema.Int,
    posts: Schema.Int,
    segmentsAired: Schema.Int,
    tracks: Schema.Int
  }),
  suspended: Schema.Boolean,
  createdAt: Schema.String
})
export type PublicProfile = typeof PublicProfile.Type
