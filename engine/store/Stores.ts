import { Layer } from "effect"
import { AgentFigures } from "./agents/AgentFigures.ts"
import { AgentOverviews } from "./agents/AgentOverviews.ts"
import { Airings } from "./air/Airings.ts"
import { AirMetadata } from "./air/AirMetadata.ts"
import { AnnouncementFacts } from "./air/AnnouncementFacts.ts"
import { Announcements } from "./air/Announcements.ts"
import { Agents } from "./agents/Agents.ts"
import { AppKeys } from "./operations/AppKeys.ts"
import { AgentVoices } from "./voices/AgentVoices.ts"
import { Presences } from "./inbox/Presences.ts"
import { AsRun } from "./air/AsRun.ts"
import { Assets } from "./sound/Assets.ts"
import { Audit } from "./sql/Audit.ts"
import { Beds } from "./segments/Beds.ts"
import { ChatAgents } from "./listeners/ChatAgents.ts"
import { ChatExchanges } from "./listeners/ChatExchanges.ts"
import { ChatMessages } from "./listeners/ChatMessages.ts"
import { ChatMutes } from "./listeners/ChatMutes.ts"
import { Claims } from "./agents/Claims.ts"
import { Comments } from "./social/Comments.ts"
import { ListenerCredits } from "./air/ListenerCredits.ts"
import { Engagements } from "./social/Engagements.ts"
import { ChartEvidence } from "./ranks/ChartEvidence.ts"
import { Leaderboards } from "./ranks/Leaderboards.ts"
import { PanelRecordings } from "./panels/PanelRecordings.ts"
import { PanelTurns } from "./panels/PanelTurns.ts"
import { ClusterMessages } from "./sql/ClusterMessages.ts"
import { Panels } from "./panels/Panels.ts"
import { WorldFigures } from "./lore/WorldFigures.ts"
import { Feeds } from "./social/Feeds.ts"
import { DeskViews } from "./inbox/DeskViews.ts"
import { AirSteps } from "./air/AirSteps.ts"
import { Fences } from "./air/Fences.ts"
import { GalleryAssets } from "./agents/GalleryAssets.ts"
import { Follows } from "./social/Follows.ts"
import { WeekSchedules } from "./programmes/WeekSchedules.ts"
import { HousePieces } from "./music/HousePieces.ts"
import { Humans } from "./people/Humans.ts"
import { HumanAgents } from "./people/HumanAgents.ts"
import { KeyLinksWriter } from "./agents/KeyLinks.ts"
import { HumanIdentities } from "./people/HumanIdentities.ts"
import { HumanKeys } from "./people/HumanKeys.ts"
import { HumanRecords } from "./people/HumanRecords.ts"
import { HumanSessions } from "./people/HumanSessions.ts"
import { IdempotencyKeys } from "./sql/IdempotencyKeys.ts"
import { Inboxes } from "./inbox/Inboxes.ts"
import { Interactions } from "./listeners/Messages.ts"
import { ListenerDays } from "./listeners/ListenerDays.ts"
import { ReactionsWriter } from "./listeners/Reactions.ts"
import { Listeners } from "./listeners/Listeners.ts"
import { LivingDeclarations } from "./agents/LivingDeclarations.ts"
import { Council } from "./lore/Council.ts"
import { PersonaReadouts } from "./lore/PersonaReadouts.ts"
import { Blog } from "./lore/Blog.ts"
import { Highlights } from "./lore/Highlights.ts"
import { LibraryCards } from "./lore/LibraryCards.ts"
import { Lore } from "./lore/Lore.ts"
import { Alerts } from "./operations/Alerts.ts"
import { ConfigurationFacts } from "./operations/ConfigurationFacts.ts"
import { Settings } from "./operations/Settings.ts"
import { BackupFiles } from "./operations/BackupFiles.ts"
import { BackupRecords } from "./operations/BackupRecords.ts"
import { Simulations } from "./operations/Simulations.ts"
import { Mails } from "./operations/Mails.ts"
import { MusicCatalog } from "./music/MusicCatalog.ts"
import { MusicCreations } from "./music/MusicCreations.ts"
import { MusicRequests } from "./music/MusicRequests.ts"
import { MusicSubmissions } from "./music/MusicSubmissions.ts"
import { Uploads, SpeechUploads } from "./segments/Uploads.ts"
import { Jobs } from "./sql/Jobs.ts"
import { Meters } from "./sql/Meters.ts"
import { Operators } from "./operations/Operators.ts"
import { Outbox } from "./sql/Outbox.ts"
import { OutboxReaders } from "./sql/OutboxReaders.ts"
import { Plans, Episodes } from "./programmes/Plans.ts"
import { PlanSegments } from "./segments/PlanSegments.ts"
import { PlanStocks } from "./programmes/PlanStocks.ts"
import { Posts } from "./social/Posts.ts"
import { OwnerAddresses } from "./agents/OwnerAddresses.ts"
import { Productions } from "./programmes/Productions.ts"
import { Profiles } from "./agents/Profiles.ts"
import { Ranks, PointMoves } from "./ranks/Ranks.ts"
import { Reception } from "./social/Reception.ts"
import { Replays, PublishedReplays } from "./panels/Replays.ts"
import { PlansForAir } from "./air/PlansForAir.ts"
import { Reports } from "./moderation/Reports.ts"
import { PeerCases } from "./moderation/PeerCases.ts"
import { Reviews } from "./moderation/Reviews.ts"
import { Rundowns } from "./air/Rundowns.ts"
import { Segments } from "./segments/Segments.ts"
import { SegmentFlagsWriter } from "./segments/SegmentFlags.ts"
import { SigningKeys } from "./agents/SigningKeys.ts"
import { SongRequests } from "./music/SongRequests.ts"
import { SoundPrints } from "./sound/SoundPrints.ts"
import { SoundAccess } from "./sound/SoundAccess.ts"
import { SpeechHolds } from "./voices/SpeechHolds.ts"
import { Standings } from "./agents/Standings.ts"
import { StationFacts } from "./sql/StationFacts.ts"
import { StoreHealth } from "./sql/StoreHealth.ts"
import { Topics } from "./programmes/Topics.ts"
import { Tracks } from "./music/Tracks.ts"
import { TrackTotalsWriter } from "./music/TrackTotals.ts"
import { TrackVotes } from "./music/TrackVotes.ts"
import { Transaction } from "./sql/Transaction.ts"
import { Voices } from "./voices/Voices.ts"
import { WebhookDeliveries } from "./inbox/WebhookDeliveries.ts"
import { Webhooks } from "./inbox/Webhooks.ts"
import { Calls } from "./listeners/Calls.ts"
import { Candidates } from "./air/Candidates.ts"
import { Clips } from "./panels/Clips.ts"
import { Shows, ShowDesks } from "./programmes/Shows.ts"

export const Stores = Layer.mergeAll(
  AgentFigures.layer,
  AgentOverviews.layer,
  AirMetadata.layer,
  AirSteps.layer,
  AnnouncementFacts.layer,
  Announcements.layer,
  Airings.layer,
  Agents.layer,
  AgentVoices.layer,
  Presences.layer,
  AppKeys.layer,
  AsRun.layer,
  Assets.layer,
  Audit.layer,
  Beds.layer,
  Calls.layer,
  Clips.layer,
  ChatAgents.layer,
  ChatExchanges.layer,
  ChatMessages.layer,
  ChatMutes.layer,
  Claims.layer,
  DeskViews.layer,
  Comments.layer,
  ListenerCredits.layer,
  Engagements.layer,
  Episodes.layer,
  ChartEvidence.layer,
  Leaderboards.layer,
  PanelRecordings.layer,
  PanelTurns.layer,
  PointMoves.layer,
  WorldFigures.layer,
  Feeds.layer,
  Follows.layer,
  Fences.layer,
  GalleryAssets.layer,
  WeekSchedules.layer,
  HousePieces.layer,
  Humans.layer,
  HumanAgents.layer,
  HumanIdentities.layer,
  HumanKeys.layer,
  HumanRecords.layer,
  HumanSessions.layer,
  IdempotencyKeys.layer,
  Inboxes.layer,
  Interactions.layer,
  KeyLinksWriter.layer,
  ListenerDays.layer,
  Listeners.layer,
  ReactionsWriter.layer,
  LivingDeclarations.layer,
  Council.layer,
  Blog.layer,
  Highlights.layer,
  LibraryCards.layer,
  PersonaReadouts.layer,
  Lore.layer,
  ClusterMessages.layer,
  Alerts.layer,
  ConfigurationFacts.layer,
  Settings.layer,
  BackupFiles.layer,
  BackupRecords.layer,
  Simulations.layer,
  Mails.layer,
  Uploads.layer,
  Panels.layer,
  Meters.layer,
  Jobs.layer,
  MusicCatalog.layer,
  MusicCreations.layer,
  MusicRequests.layer,
  MusicSubmissions.layer,
  Operators.layer,
  Outbox.layer,
  OwnerAddresses.layer,
  Productions.layer,
  Profiles.layer,
  Plans.layer,
  PlanSegments.layer,
  PlanStocks.layer,
  PlansForAir.layer,
  Posts.layer,
  OutboxReaders.layer,
  PublishedReplays.layer,
  Ranks.layer,
  Reception.layer,
  Replays.layer,
  PeerCases.layer,
  Reports.layer,
  Reviews.layer,
  Rundowns.layer,
  Segments.layer,
  SegmentFlagsWriter.layer,
  Candidates.layer,
  ShowDesks.layer,
  Shows.layer,
  SigningKeys.layer,
  SongRequests.layer,
  SoundAccess.layer,
  SoundPrints.layer,
  SpeechHolds.layer,
  SpeechUploads.layer,
  Standings.layer,
  StationFacts.layer,
  StoreHealth.layer,
  Topics.layer,
  Tracks.layer,
  TrackTotalsWriter.layer,
  TrackVotes.layer,
  Transaction.layer,
  Voices.layer,
  WebhookDeliveries.layer,
  Webhooks.layer
)
