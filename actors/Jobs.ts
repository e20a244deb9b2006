import { planJobs } from "./programmes/PlanJobs.ts"
import { topicJobs } from "./programmes/TopicJobs.ts"
import { markJobs } from "./segments/MarkJobs.ts"
import { uploadJobs } from "./segments/UploadJobs.ts"
import { jobWorker } from "./runtime/JobWorker.ts"

/** All background work, subject by subject. A new kind is one more line in its subject's list. */
export const JobsLive = jobWorker([...uploadJobs, ...markJobs, ...planJobs, ...topicJobs])
