import { galleryJobs } from "./agents/GalleryWorker.ts"
import { callJobs } from "./listeners/CallWorker.ts"
import { listenerJobs } from "./listeners/ListenerWorker.ts"
import { rankJobs } from "./ranks/RankWorker.ts"
import { planJobs } from "./programmes/PlanJobs.ts"
import { topicJobs } from "./programmes/TopicJobs.ts"
import { markJobs } from "./segments/MarkJobs.ts"
import { uploadJobs } from "./segments/UploadJobs.ts"
import { jobWorker } from "./runtime/JobWorker.ts"

/** All background work, subject by subject. A new kind is one more line in its subject's list. */
export const JobsLive = jobWorker([
  ...galleryJobs,
  ...callJobs,
  ...listenerJobs,
  ...rankJobs,
  ...uploadJobs,
  ...markJobs,
  ...planJobs,
  ...topicJobs
])
