import { galleryJobs } from "./agents/GalleryWorker.ts"
import { registrationJobs } from "./agents/RegistrationWorker.ts"
import { announcementJobs } from "./air/AnnouncementWorker.ts"
import { callJobs } from "./listeners/CallWorker.ts"
import { listenerJobs } from "./listeners/ListenerWorker.ts"
import { nightJobs } from "./music/NightWorker.ts"
import { musicJobs } from "./music/MusicWorker.ts"
import { printJobs } from "./music/PrintWorker.ts"
import { submissionJobs } from "./music/SubmissionWorker.ts"
import { councilJobs } from "./lore/CouncilWorker.ts"
import { highlightJobs } from "./lore/HighlightWorker.ts"
import { loreJobs } from "./lore/LoreWorker.ts"
import { totalsJobs } from "./music/TotalsWorker.ts"
import { rankJobs } from "./ranks/RankWorker.ts"
import { panelJobs } from "./panels/PanelWorker.ts"
import { replayJobs } from "./panels/ReplayWorker.ts"
import { turnJobs } from "./panels/TurnWorker.ts"
import { inboxJobs } from "./inbox/InboxFeeder.ts"
import { webhookJobs } from "./inbox/WebhookWorker.ts"
import { reportJobs } from "./moderation/Reports.ts"
import { reviewJobs } from "./moderation/ReviewWorker.ts"
import { cleanupJobs } from "./operations/CleanupWorker.ts"
import { sessionJobs } from "./people/SessionWorker.ts"
import { backupJobs } from "./operations/BackupWorker.ts"
import { simulationJobs } from "./operations/SimulationWorker.ts"
import { alertJobs } from "./operations/AlertNews.ts"
import { mailJobs } from "./operations/MailWorker.ts"
import { planJobs } from "./programmes/PlanWorker.ts"
import { productionJobs } from "./programmes/ProductionWorker.ts"
import { topicJobs } from "./programmes/TopicWorker.ts"
import { markJobs } from "./segments/MarkWorker.ts"
import { scriptJobs } from "./segments/ScriptWorker.ts"
import { uploadJobs } from "./segments/UploadWorker.ts"
import { voiceJobs } from "./voices/VoiceWorker.ts"
import { jobWorker } from "./runtime/JobWorker.ts"

/** All job handlers. Add a new kind to its subject's list. */
export const allJobs = [
  ...galleryJobs,
  ...registrationJobs,
  ...announcementJobs,
  ...callJobs,
  ...listenerJobs,
  ...loreJobs,
  ...highlightJobs,
  ...councilJobs,
  ...rankJobs,
  ...totalsJobs,
  ...nightJobs,
  ...musicJobs,
  ...submissionJobs,
  ...printJobs,
  ...uploadJobs,
  ...markJobs,
  ...scriptJobs,
  ...planJobs,
  ...topicJobs,
  ...productionJobs,
  ...panelJobs,
  ...turnJobs,
  ...replayJobs,
  ...webhookJobs,
  ...inboxJobs,
  ...mailJobs,
  ...alertJobs,
  ...backupJobs,
  ...simulationJobs,
  ...cleanupJobs,
  ...sessionJobs,
  ...voiceJobs,
  ...reviewJobs,
  ...reportJobs
] as const
export const JobsLive = jobWorker(allJobs)
