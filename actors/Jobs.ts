import { panelJobs } from "./panels/PanelWorker.ts"
import { replayJobs } from "./panels/ReplayWorker.ts"
import { turnJobs } from "./panels/TurnWorker.ts"
import { planJobs } from "./programmes/PlanJobs.ts"
import { productionJobs } from "./programmes/ProductionWorker.ts"
import { topicJobs } from "./programmes/TopicJobs.ts"
import { markJobs } from "./segments/MarkJobs.ts"
import { uploadJobs } from "./segments/UploadJobs.ts"
import { jobWorker } from "./runtime/JobWorker.ts"

/** All background work, subject by subject. A new kind is one more line in its subject's list. */
export const JobsLive = jobWorker([
  ...uploadJobs,
  ...markJobs,
  ...planJobs,
  ...topicJobs,
  ...productionJobs,
  ...panelJobs,
  ...turnJobs,
  ...replayJobs
])
