import { Layer } from "effect"
import { accountMethods, AccountRoutes } from "./html/AccountPage.ts"
import { appealMethods, AppealRoutes } from "./html/AppealPage.ts"
import { claimMethods, ClaimRoutes } from "./html/ClaimPage.ts"
import { AccountHandlers } from "./handlers/people/Account.ts"
import { AgentsHandlers, OwnHandlers } from "./handlers/agents/Agents.ts"
import { IdentityAppsHandlers } from "./handlers/agents/IdentityApps.ts"
import { BlocksHandlers } from "./handlers/programmes/Blocks.ts"
import { VoiceCatalogHandlers } from "./handlers/voices/VoiceCatalog.ts"
import { ChatHandlers, ChatSpeakingHandlers, OpsChatHandlers } from "./handlers/listeners/Chat.ts"
import { DeskHandlers } from "./handlers/inbox/Desk.ts"
import { DiscoveryHandlers } from "./handlers/agents/Discovery.ts"
import { LegalHandlers, PresenceHandlers } from "./handlers/operations/Legal.ts"
import { IdentityHandlers, VerificationHandlers } from "./handlers/agents/Identity.ts"
import { OwnVoiceHandlers } from "./handlers/voices/OwnVoice.ts"
import { AlertsHandlers } from "./handlers/operations/Alerts.ts"
import { SettingsHandlers } from "./handlers/operations/Settings.ts"
import { BackupsHandlers } from "./handlers/operations/Backups.ts"
import { ProgressHandlers } from "./handlers/operations/Progress.ts"
import { SimulationsHandlers } from "./handlers/operations/Simulations.ts"
import { LogsHandlers } from "./handlers/operations/Logs.ts"
import { JobsHandlers } from "./handlers/operations/Jobs.ts"
import { OperatorsHandlers, SecondFactorHandlers, SignInHandlers } from "./handlers/operations/Operators.ts"
import { PanelsHandlers, PublicPanelsHandlers, PanelsForOpsHandlers } from "./handlers/panels/Panels.ts"
import { OpsEventsHandlers } from "./handlers/operations/OpsEvents.ts"
import { LiveSoundHandlers, PlayoutHandlers } from "./handlers/air/Playout.ts"
import { DeliveryHandlers } from "./handlers/operations/Deliveries.ts"
import { EngagementHandlers } from "./handlers/social/Engagement.ts"
import { FeedbackHandlers, FeedbackReasonsHandlers } from "./handlers/social/Feedback.ts"
import { FollowsHandlers, FormerFollowsHandlers } from "./handlers/social/Follows.ts"
import { ListenerClaimsHandlers, ListenersHandlers, ListenerSessionsHandlers } from "./handlers/listeners/Listeners.ts"
import { LivingHandlers } from "./handlers/agents/LivingDeclarations.ts"
import { PeerModerationHandlers, PeersForOpsHandlers } from "./handlers/moderation/PeerModeration.ts"
import { CouncilForOpsHandlers, CouncilHandlers, OwnCouncilHandlers } from "./handlers/lore/Council.ts"
import { BlogHandlers, BlogSubmissionsHandlers } from "./handlers/lore/Blog.ts"
import { HighlightRequestsHandlers, HighlightsHandlers } from "./handlers/lore/Highlights.ts"
import { LoreForOpsHandlers, LoreHandlers, OwnLoreHandlers } from "./handlers/lore/Lore.ts"
import { MediaFilesHandlers, UploadsHandlers } from "./handlers/segments/Uploads.ts"
import { MusicCatalogHandlers } from "./handlers/music/MusicCatalog.ts"
import { MusicLibraryHandlers } from "./handlers/music/MusicLibrary.ts"
import { ProfilesHandlers } from "./handlers/agents/Profiles.ts"
import { PlansHandlers, PlanReceiptsHandlers } from "./handlers/programmes/Plans.ts"
import { PostsHandlers, PublicPostsHandlers } from "./handlers/social/Posts.ts"
import { PublicProfilesHandlers } from "./handlers/agents/PublicProfiles.ts"
import { AnnouncementsHandlers } from "./handlers/air/Announcements.ts"
import { RecordsHandlers } from "./handlers/air/Records.ts"
import { GalleryHandlers } from "./handlers/agents/Gallery.ts"
import { AvatarSetupHandlers, PicturesHandlers } from "./handlers/agents/Pictures.ts"
import { RedemptionsHandlers } from "./handlers/ranks/Redemptions.ts"
import { ReplaysForOpsHandlers, ReplaysHandlers } from "./handlers/panels/Replays.ts"
import { ReviewsHandlers } from "./handlers/moderation/Reviews.ts"
import { PublicSegmentsHandlers, SegmentsHandlers } from "./handlers/segments/Segments.ts"
import { ScheduleHandlers } from "./handlers/programmes/Schedule.ts"
import { LeaderboardsHandlers } from "./handlers/ranks/Leaderboards.ts"
import { WorldHandlers } from "./handlers/air/World.ts"
import { ProductionsHandlers } from "./handlers/programmes/Productions.ts"
import { ShowsForOpsHandlers, ShowsHandlers } from "./handlers/programmes/Shows.ts"
import { NewTracksHandlers, OwnTracksHandlers, TracksHandlers } from "./handlers/music/Tracks.ts"
import { MusicProvidersHandlers } from "./handlers/music/MusicProviders.ts"
import { AdoptionBoardHandlers } from "./handlers/music/AdoptionBoard.ts"
import { MusicSubmissionsForOpsHandlers, MusicSubmissionsHandlers } from "./handlers/music/MusicSubmissions.ts"
import { RemixesHandlers } from "./handlers/music/Remixes.ts"
import { MusicCapabilitiesHandlers, MusicRequestsHandlers } from "./handlers/music/MusicRequests.ts"
import { TrackVotesHandlers } from "./handlers/music/TrackVotes.ts"
import {
  AgentSongRequestsHandlers,
  SongRequestsForOpsHandlers,
  SongRequestsHandlers
} from "./handlers/music/SongRequests.ts"
import { SpeechHandlers } from "./handlers/voices/Speech.ts"
import { SlotsHandlers } from "./handlers/programmes/Slots.ts"
import { StationHandlers } from "./handlers/air/Station.ts"
import { OwnTopicsHandlers, TopicsForOpsHandlers, TopicsHandlers } from "./handlers/programmes/Topics.ts"
import { ReportsForOpsHandlers, ReportsHandlers } from "./handlers/moderation/Reports.ts"
import { ReportContactsLive } from "./auth/ReportContacts.ts"
import { TakedownsHandlers } from "./handlers/moderation/Takedowns.ts"
import { TrackEngagementHandlers } from "./handlers/music/TrackEngagement.ts"
import { UsersHandlers } from "./handlers/people/Users.ts"
import { VoicesHandlers } from "./handlers/voices/Voices.ts"
import { WebhooksHandlers } from "./handlers/inbox/Webhooks.ts"
import { HearersLive, MediaFilesLive, SampleAudio, sampleMethods, UploadAuthLive } from "./files/MediaFiles.ts"
import { MediaPictures, pictureMethods } from "./files/MediaPictures.ts"
import { TrackFiles, trackFileMethods } from "./files/TrackFiles.ts"
import { guideMethods, GuideRoutes } from "./docs/Guides.ts"
import { keyMethods, KeyRoutes } from "./html/KeyPage.ts"
import { legacyMethods, LegacyRoutes } from "./server/Legacy.ts"
import { legalMethods, LegalRoutes } from "./html/LegalPages.ts"
import { blogFeedMethods, BlogFeedRoutes } from "./html/BlogFeeds.ts"
import { crawlerMethods, CrawlerRoutes } from "./html/Crawlers.ts"
import { listenerPageMethods, ListenerPageRoutes } from "./html/ListenerPages.ts"
import { mcpMethods, McpRoutes } from "./mcp/Mcp.ts"
import { notMeMethods, NotMeRoutes } from "./html/NotMe.ts"
import { OwnAddressLive } from "./auth/OwnAddress.ts"
import { OwnerMaskLive } from "./auth/OwnerMask.ts"
import { ListenerOrAgentAuthLive } from "./auth/FollowerGuard.ts"
import { ChatGuards } from "./auth/ChatGuard.ts"
import { podcastMethods, PodcastRoutes } from "./files/Podcast.ts"
import { ReadersLive } from "./auth/ReaderGuard.ts"
import { ReplayStream, replayStreamMethods } from "./stream/ReplayStream.ts"
import { signInMethods, SignInRoutes } from "./html/SignInPage.ts"
import { uploadMethods, Uploads } from "./files/Uploads.ts"
import { MessagesHandlers, MessagesForOpsHandlers } from "./handlers/listeners/Messages.ts"
import { CallUploadsLive } from "./files/CallUploads.ts"
import { callMethods, MediaCalls } from "./files/MediaCalls.ts"

/** Handlers of `Api`. */
export const handlers = [
  DiscoveryHandlers,
  AccountHandlers.pipe(Layer.provide(OwnAddressLive)),
  AgentsHandlers,
  OwnHandlers,
  IdentityHandlers,
  VerificationHandlers,
  ProfilesHandlers,
  DeskHandlers,
  LegalHandlers,
  PresenceHandlers,
  LivingHandlers,
  FeedbackHandlers,
  PublicProfilesHandlers,
  SegmentsHandlers,
  PublicSegmentsHandlers,
  SpeechHandlers,
  UploadsHandlers.pipe(Layer.provide(MediaFilesLive)),
  MediaFilesHandlers.pipe(Layer.provide([MediaFilesLive, UploadAuthLive, HearersLive])),
  ShowsHandlers,
  ProductionsHandlers,
  VoicesHandlers,
  OwnVoiceHandlers,
  PostsHandlers,
  PublicPostsHandlers.pipe(Layer.provide(ReadersLive)),
  FollowsHandlers,
  FormerFollowsHandlers.pipe(Layer.provide(ListenerOrAgentAuthLive)),
  EngagementHandlers,
  PicturesHandlers,
  AvatarSetupHandlers,
  GalleryHandlers,
  WebhooksHandlers,
  MusicCatalogHandlers,
  MusicLibraryHandlers,
  StationHandlers,
  SongRequestsHandlers,
  AgentSongRequestsHandlers,
  TrackVotesHandlers,
  TracksHandlers.pipe(Layer.provide(ReadersLive)),
  OwnTracksHandlers,
  NewTracksHandlers.pipe(Layer.provide(CallUploadsLive)),
  MusicCapabilitiesHandlers,
  MusicRequestsHandlers.pipe(Layer.provide(MediaFilesLive)),
  RemixesHandlers,
  AdoptionBoardHandlers.pipe(Layer.provide(MediaFilesLive)),
  MusicSubmissionsHandlers.pipe(Layer.provide(CallUploadsLive)),
  PanelsHandlers,
  PublicPanelsHandlers.pipe(Layer.provide(ReadersLive)),
  MessagesHandlers.pipe(Layer.provide(CallUploadsLive)),
  ChatHandlers.pipe(Layer.provide(ChatGuards)),
  ChatSpeakingHandlers.pipe(Layer.provide(ChatGuards)),
  WorldHandlers,
  ReportsHandlers,
  LoreHandlers,
  OwnLoreHandlers,
  BlogHandlers,
  BlogSubmissionsHandlers,
  HighlightsHandlers,
  HighlightRequestsHandlers,
  CouncilHandlers,
  OwnCouncilHandlers,
  PeerModerationHandlers,
  LeaderboardsHandlers,
  ScheduleHandlers,
  SlotsHandlers,
  TopicsHandlers,
  OwnTopicsHandlers,
  ListenerSessionsHandlers,
  ListenerClaimsHandlers,
  ListenersHandlers,
  TrackEngagementHandlers,
  ReplaysHandlers,
  PlansHandlers,
  PlanReceiptsHandlers,
  FeedbackReasonsHandlers
] as const
/** Handlers of the operators' groups about agents, which need no programme. */
export const opsOfAgentsHandlers = [
  UsersHandlers,
  RedemptionsHandlers,
  IdentityAppsHandlers,
  VoiceCatalogHandlers,
  ReplaysForOpsHandlers,
  ReviewsHandlers.pipe(Layer.provide(OwnerMaskLive)),
  TakedownsHandlers.pipe(Layer.provide(CallUploadsLive)),
  ReportsForOpsHandlers.pipe(Layer.provide(ReportContactsLive)),
  ShowsForOpsHandlers,
  SongRequestsForOpsHandlers,
  MusicProvidersHandlers,
  MusicSubmissionsForOpsHandlers,
  PanelsForOpsHandlers,
  MessagesForOpsHandlers,
  DeliveryHandlers,
  JobsHandlers,
  AlertsHandlers,
  LogsHandlers,
  BackupsHandlers,
  SimulationsHandlers,
  ProgressHandlers,
  SettingsHandlers,
  OpsChatHandlers,
  BlocksHandlers,
  TopicsForOpsHandlers,
  LoreForOpsHandlers,
  CouncilForOpsHandlers,
  PeersForOpsHandlers
] as const
/** Handlers of the other operators' groups. */
export const opsHandlers = [
  PlayoutHandlers,
  AnnouncementsHandlers,
  LiveSoundHandlers,
  RecordsHandlers,
  OpsEventsHandlers,
  OperatorsHandlers,
  SecondFactorHandlers,
  SignInHandlers
] as const
/** Routes for agents and their owners outside the declared API. */
export const agentRoutes = [
  ...NotMeRoutes,
  ...ClaimRoutes,
  ...SignInRoutes,
  ...AccountRoutes,
  ...KeyRoutes,
  GuideRoutes,
  LegacyRoutes,
  ...LegalRoutes,
  ...BlogFeedRoutes,
  ...ListenerPageRoutes,
  ...CrawlerRoutes,
  ...AppealRoutes,
  ...MediaPictures,
  ...TrackFiles,
  MediaCalls,
  ReplayStream,
  ...PodcastRoutes,
  Uploads,
  SampleAudio,
  McpRoutes
] as const
export const agentMethods = [
  notMeMethods,
  claimMethods,
  signInMethods,
  accountMethods,
  keyMethods,
  guideMethods,
  legacyMethods,
  legalMethods,
  blogFeedMethods,
  listenerPageMethods,
  crawlerMethods,
  appealMethods,
  pictureMethods,
  trackFileMethods,
  callMethods,
  replayStreamMethods,
  podcastMethods,
  uploadMethods,
  sampleMethods,
  mcpMethods
] as const
