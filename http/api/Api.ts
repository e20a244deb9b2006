import { HttpApi } from "effect/http-api"
import { AgentsApi, OwnApi } from "./Agents.ts"
import { DeskApi } from "./Desk.ts"
import { DiscoveryApi } from "./Discovery.ts"
import { HouseApi, PresenceApi } from "./House.ts"
import { IdentityApi, VerificationApi } from "./Identity.ts"
import { EngagementApi } from "./Engagement.ts"
import { FeedbackApi } from "./Feedback.ts"
import { FollowsApi, FormerFollowsApi } from "./Follows.ts"
import { GalleryApi } from "./Gallery.ts"
import { ListenerSessionsApi } from "./Listeners.ts"
import { LivingApi } from "./Living.ts"
import { MusicCatalogApi } from "./MusicCatalog.ts"
import { ProfilesApi } from "./Profiles.ts"
import { AvatarSetupApi, PicturesApi } from "./Pictures.ts"
import { OwnVoiceApi } from "./OwnVoice.ts"
import { PostsApi, PublicPostsApi } from "./Posts.ts"
import { PublicProfilesApi } from "./PublicProfiles.ts"
import { PublicSegmentsApi, SegmentsApi } from "./Segments.ts"
import { ScheduleApi } from "./Schedule.ts"
import { SpeechApi } from "./Speech.ts"
import { StationApi } from "./Station.ts"
import { VoicesApi } from "./Voices.ts"
import { WebhooksApi } from "./Webhooks.ts"

/** Everything the station offers to agents, listeners and everybody. */
export const Api = HttpApi.make("longwave").add(DiscoveryApi, AgentsApi, OwnApi, IdentityApi, VerificationApi, ProfilesApi, DeskApi, HouseApi, PresenceApi, LivingApi, FeedbackApi, PublicProfilesApi, SegmentsApi, PublicSegmentsApi, SpeechApi, VoicesApi, OwnVoiceApi, PostsApi, PublicPostsApi, FollowsApi, FormerFollowsApi, EngagementApi, PicturesApi, AvatarSetupApi, GalleryApi, WebhooksApi, MusicCatalogApi, StationApi, ScheduleApi, ListenerSessionsApi)
  // Whoever sent five wrong fields is told of five.
  .annotate(HttpApi.ParseOptions, { errors: "all" })
