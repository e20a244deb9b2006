import { Layer } from "effect"
import { appealMethods, AppealRoutes } from "./AppealPage.ts"
import { claimMethods, ClaimRoutes } from "./ClaimPage.ts"
import { AgentsHandlers, OwnHandlers } from "./handlers/Agents.ts"
import { AppKeysHandlers } from "./handlers/AppKeys.ts"
import { CatalogHandlers } from "./handlers/Catalog.ts"
import { ChatHandlers, ChatSpeakingHandlers } from "./handlers/Chat.ts"
import { DeskHandlers } from "./handlers/Desk.ts"
import { DiscoveryHandlers } from "./handlers/Discovery.ts"
import { HouseHandlers, PresenceHandlers } from "./handlers/House.ts"
import { IdentityHandlers, VerificationHandlers } from "./handlers/Identity.ts"
import { OwnVoiceHandlers } from "./handlers/OwnVoice.ts"
import { OperatorsHandlers, SignInHandlers } from "./handlers/Operators.ts"
import { OpsChatHandlers } from "./handlers/OpsChat.ts"
import { PlayoutHandlers } from "./handlers/Playout.ts"
import { PostOfficeHandlers } from "./handlers/PostOffice.ts"
import { EngagementHandlers } from "./handlers/Engagement.ts"
import { FeedbackHandlers } from "./handlers/Feedback.ts"
import { FeedbackReasonsHandlers } from "./handlers/FeedbackReasons.ts"
import { FollowsHandlers, FormerFollowsHandlers } from "./handlers/Follows.ts"
import { ListenerClaimsHandlers, ListenersHandlers, ListenerSessionsHandlers } from "./handlers/Listeners.ts"
import { LivingHandlers } from "./handlers/Living.ts"
import { MusicCatalogHandlers } from "./handlers/MusicCatalog.ts"
import { ProfilesHandlers } from "./handlers/Profiles.ts"
import { PostsHandlers, PublicPostsHandlers } from "./handlers/Posts.ts"
import { PublicProfilesHandlers } from "./handlers/PublicProfiles.ts"
import { RecordsHandlers } from "./handlers/Records.ts"
import { GalleryHandlers } from "./handlers/Gallery.ts"
import { AvatarSetupHandlers, PicturesHandlers } from "./handlers/Pictures.ts"
import { RedemptionsHandlers } from "./handlers/Redemptions.ts"
import { ReviewsHandlers } from "./handlers/Reviews.ts"
import { PublicSegmentsHandlers, SegmentsHandlers } from "./handlers/Segments.ts"
import { ScheduleHandlers } from "./handlers/Schedule.ts"
import { LeaderboardsHandlers } from "./handlers/Leaderboards.ts"
import { WorldHandlers } from "./handlers/World.ts"
import { SpeechHandlers } from "./handlers/Speech.ts"
import { StationHandlers } from "./handlers/Station.ts"
import { SubjectsHandlers } from "./handlers/Subjects.ts"
import { TrackEngagementHandlers } from "./handlers/TrackEngagement.ts"
import { UsersHandlers } from "./handlers/Users.ts"
import { VoicesHandlers } from "./handlers/Voices.ts"
import { WebhooksHandlers } from "./handlers/Webhooks.ts"
import { MediaPictures, pictureMethods } from "./MediaPictures.ts"
import { guideMethods, GuideRoutes } from "./Guides.ts"
import { legacyMethods, LegacyRoutes } from "./Legacy.ts"
import { legalMethods, LegalRoutes } from "./LegalPages.ts"
import { mcpMethods, McpRoutes } from "./Mcp.ts"
import { notMeMethods, NotMeRoutes } from "./NotMe.ts"
import { OwnerMaskLive } from "./OwnerMask.ts"
import { ListenerOrAgentAuthLive } from "./FollowerGuard.ts"
import { ChatGuards } from "./ChatGuard.ts"
import { ReadersLive } from "./ReaderGuard.ts"
import { uploadMethods, Uploads } from "./Uploads.ts"

/** What serves `Api`. */
export const handlers = [DiscoveryHandlers, AgentsHandlers, OwnHandlers, IdentityHandlers, VerificationHandlers, ProfilesHandlers, DeskHandlers, HouseHandlers, PresenceHandlers, LivingHandlers, FeedbackHandlers, PublicProfilesHandlers, SegmentsHandlers, PublicSegmentsHandlers, SpeechHandlers, VoicesHandlers, OwnVoiceHandlers, PostsHandlers, PublicPostsHandlers.pipe(Layer.provide(ReadersLive)), FollowsHandlers, FormerFollowsHandlers.pipe(Layer.provide(ListenerOrAgentAuthLive)), EngagementHandlers, PicturesHandlers, AvatarSetupHandlers, GalleryHandlers, WebhooksHandlers, MusicCatalogHandlers, StationHandlers, ChatHandlers.pipe(Layer.provide(ChatGuards)), ChatSpeakingHandlers.pipe(Layer.provide(ChatGuards)), WorldHandlers, LeaderboardsHandlers, ScheduleHandlers, ListenerSessionsHandlers, ListenerClaimsHandlers, ListenersHandlers, TrackEngagementHandlers, FeedbackReasonsHandlers] as const

/** What serves those of the operators' groups that concern agents: they need no programme. */
export const opsOfAgentsHandlers = [UsersHandlers, RedemptionsHandlers, AppKeysHandlers, CatalogHandlers, ReviewsHandlers.pipe(Layer.provide(OwnerMaskLive)), SubjectsHandlers, PostOfficeHandlers, OpsChatHandlers] as const

/** What serves the rest of them. */
export const opsHandlers = [PlayoutHandlers, RecordsHandlers, OperatorsHandlers, SignInHandlers] as const

/** What agents and their owners reach beside the declared interface. */
export const agentRoutes = [...NotMeRoutes, ...ClaimRoutes, GuideRoutes, LegacyRoutes, ...LegalRoutes, ...AppealRoutes, ...MediaPictures, Uploads, McpRoutes] as const
export const agentMethods = [notMeMethods, claimMethods, guideMethods, legacyMethods, legalMethods, appealMethods, pictureMethods, uploadMethods, mcpMethods] as const
