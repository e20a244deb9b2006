import { HttpApi } from "effect/http-api"
import { additiveApi } from "./Additive.ts"
import { IdentityAppsApi } from "./agents/IdentityApps.ts"
import { BlocksApi } from "./programmes/Blocks.ts"
import { VoiceCatalogApi } from "./voices/VoiceCatalog.ts"
import { CouncilForOpsApi } from "./lore/Council.ts"
import { LoreForOpsApi } from "./lore/Lore.ts"
import { OpsChatApi } from "./listeners/Chat.ts"
import { AlertsApi } from "./operations/Alerts.ts"
import { SettingsApi } from "./operations/Settings.ts"
import { BackupsApi } from "./operations/Backups.ts"
import { ProgressApi } from "./operations/Progress.ts"
import { SimulationsApi } from "./operations/Simulations.ts"
import { LogsApi } from "./operations/Logs.ts"
import { JobsApi } from "./operations/Jobs.ts"
import { MusicProvidersApi } from "./music/MusicProviders.ts"
import { MusicSubmissionsForOpsApi } from "./music/MusicSubmissions.ts"
import { OperatorsApi, SecondFactorApi, SignInApi } from "./operations/Operators.ts"
import { PanelsForOpsApi } from "./panels/Panels.ts"
import { LiveSoundApi, PlayoutApi } from "./air/Playout.ts"
import { DeliveriesApi } from "./operations/Deliveries.ts"
import { AnnouncementsApi } from "./air/Announcements.ts"
import { OpsEventsApi } from "./operations/OpsEvents.ts"
import { RecordsApi } from "./air/Records.ts"
import { RedemptionsApi } from "./ranks/Redemptions.ts"
import { ReplaysForOpsApi } from "./panels/Replays.ts"
import { PeersForOpsApi } from "./moderation/PeerModeration.ts"
import { ReviewsApi } from "./moderation/Reviews.ts"
import { ShowsForOpsApi } from "./programmes/Shows.ts"
import { SongRequestsForOpsApi } from "./music/SongRequests.ts"
import { TopicsForOpsApi } from "./programmes/Topics.ts"
import { ReportsForOpsApi } from "./moderation/Reports.ts"
import { TakedownsApi } from "./moderation/Takedowns.ts"
import { UsersApi } from "./people/Users.ts"
import { MessagesForOpsApi } from "./listeners/Messages.ts"

/** Operations about agents and their work, which need no programme. */
export const opsOfAgents = [
  UsersApi,
  RedemptionsApi,
  IdentityAppsApi,
  VoiceCatalogApi,
  ReviewsApi,
  TakedownsApi,
  ReportsForOpsApi,
  ReplaysForOpsApi,
  ShowsForOpsApi,
  SongRequestsForOpsApi,
  MusicProvidersApi,
  MusicSubmissionsForOpsApi,
  PanelsForOpsApi,
  MessagesForOpsApi,
  DeliveriesApi,
  JobsApi,
  AlertsApi,
  LogsApi,
  BackupsApi,
  SimulationsApi,
  ProgressApi,
  SettingsApi,
  OpsChatApi,
  BlocksApi,
  TopicsForOpsApi,
  LoreForOpsApi,
  CouncilForOpsApi,
  PeersForOpsApi
] as const
/** The operators' API, separate from the public one. */
export const OpsApi = HttpApi.make("longwaveOps")
  .add(
    ...opsOfAgents,
    PlayoutApi,
    AnnouncementsApi,
    LiveSoundApi,
    RecordsApi,
    OpsEventsApi,
    OperatorsApi,
    SecondFactorApi,
    SignInApi
  )
  // Reports all wrong fields, not only the first.
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  .annotateMerge(additiveApi)
