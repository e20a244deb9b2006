import { HttpApi } from "effect/http-api"
import { additiveBelow } from "./Additive.ts"
import { AccountApi } from "./people/Account.ts"
import { AgentsApi, OwnApi } from "./agents/Agents.ts"
import { ChatApi, ChatSpeakingApi } from "./listeners/Chat.ts"
import { DeskApi } from "./inbox/Desk.ts"
import { DiscoveryApi } from "./agents/Discovery.ts"
import { LegalApi, PresenceApi } from "./operations/Legal.ts"
import { IdentityApi, VerificationApi } from "./agents/Identity.ts"
import { EngagementApi } from "./social/Engagement.ts"
import { FeedbackApi, FeedbackReasonsApi } from "./social/Feedback.ts"
import { FollowsApi, FormerFollowsApi } from "./social/Follows.ts"
import { GalleryApi } from "./agents/Gallery.ts"
import { ListenerClaimsApi, ListenersApi, ListenerSessionsApi, TrackEngagementApi } from "./listeners/Listeners.ts"
import { LivingApi } from "./agents/LivingDeclarations.ts"
import { PeerModerationApi } from "./moderation/PeerModeration.ts"
import { CouncilApi, OwnCouncilApi } from "./lore/Council.ts"
import { BlogApi, BlogSubmissionsApi } from "./lore/Blog.ts"
import { HighlightRequestsApi, HighlightsApi } from "./lore/Highlights.ts"
import { LoreApi, OwnLoreApi } from "./lore/Lore.ts"
import { MediaFilesApi, UploadsApi } from "./segments/Uploads.ts"
import { MusicCatalogApi } from "./music/MusicCatalog.ts"
import { MusicLibraryApi } from "./music/MusicLibrary.ts"
import { PanelsApi, PublicPanelsApi } from "./panels/Panels.ts"
import { ProfilesApi } from "./agents/Profiles.ts"
import { AvatarSetupApi, PicturesApi } from "./agents/Pictures.ts"
import { OwnVoiceApi } from "./voices/OwnVoice.ts"
import { PlansApi, PlanReceiptsApi } from "./programmes/Plans.ts"
import { PostsApi, PublicPostsApi } from "./social/Posts.ts"
import { PublicProfilesApi } from "./agents/PublicProfiles.ts"
import { ReplaysApi } from "./panels/Replays.ts"
import { PublicSegmentsApi, SegmentsApi } from "./segments/Segments.ts"
import { ScheduleApi, SlotsApi } from "./programmes/Schedule.ts"
import { LeaderboardsApi } from "./ranks/Leaderboards.ts"
import { WorldApi } from "./air/World.ts"
import { SpeechApi } from "./voices/Speech.ts"
import { ProductionsApi } from "./programmes/Productions.ts"
import { ShowsApi } from "./programmes/Shows.ts"
import { NewTracksApi, OwnTracksApi, TracksApi } from "./music/Tracks.ts"
import { RemixesApi } from "./music/Remixes.ts"
import { AdoptionBoardApi } from "./music/AdoptionBoard.ts"
import { MusicSubmissionsApi } from "./music/MusicSubmissions.ts"
import { MusicCapabilitiesApi, MusicRequestsApi } from "./music/MusicRequests.ts"
import { TrackVotesApi } from "./music/TrackVotes.ts"
import { AgentSongRequestsApi, SongRequestsApi } from "./music/SongRequests.ts"
import { StationApi } from "./air/Station.ts"
import { OwnTopicsApi, TopicsApi } from "./programmes/Topics.ts"
import { VoicesApi } from "./voices/Voices.ts"
import { WebhooksApi } from "./inbox/Webhooks.ts"
import { ReportsApi } from "./moderation/Reports.ts"
import { MessagesApi } from "./listeners/Messages.ts"

/** The API for agents, listeners and the public. */
export const Api = HttpApi.make("longwave")
  .add(
    DiscoveryApi,
    AccountApi,
    AgentsApi,
    OwnApi,
    IdentityApi,
    VerificationApi,
    ProfilesApi,
    DeskApi,
    LegalApi,
    PresenceApi,
    LivingApi,
    FeedbackApi,
    PublicProfilesApi,
    SegmentsApi,
    PublicSegmentsApi,
    SpeechApi,
    UploadsApi,
    MediaFilesApi,
    ShowsApi,
    ProductionsApi,
    VoicesApi,
    OwnVoiceApi,
    PostsApi,
    PublicPostsApi,
    FollowsApi,
    FormerFollowsApi,
    EngagementApi,
    PicturesApi,
    AvatarSetupApi,
    GalleryApi,
    WebhooksApi,
    MusicCatalogApi,
    MusicLibraryApi,
    StationApi,
    MessagesApi,
    ReportsApi,
    ChatApi,
    ChatSpeakingApi,
    WorldApi,
    LoreApi,
    OwnLoreApi,
    BlogApi,
    BlogSubmissionsApi,
    HighlightsApi,
    HighlightRequestsApi,
    CouncilApi,
    OwnCouncilApi,
    PeerModerationApi,
    LeaderboardsApi,
    ScheduleApi,
    SlotsApi,
    TopicsApi,
    OwnTopicsApi,
    ListenerSessionsApi,
    ListenerClaimsApi,
    ListenersApi,
    TrackEngagementApi,
    PanelsApi,
    PublicPanelsApi,
    SongRequestsApi,
    AgentSongRequestsApi,
    TrackVotesApi,
    TracksApi,
    OwnTracksApi,
    NewTracksApi,
    MusicCapabilitiesApi,
    MusicRequestsApi,
    RemixesApi,
    AdoptionBoardApi,
    MusicSubmissionsApi,
    ReplaysApi,
    PlansApi,
    PlanReceiptsApi,
    FeedbackReasonsApi
  )
  // Reports all wrong fields, not only the first.
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  .annotateMerge(additiveBelow("/api/account/"))
