import { inboxJobs } from "./inbox/InboxFeeder.ts"
import { webhookJobs } from "./inbox/WebhookJobs.ts"
import { cleanupJobs } from "./operations/CleanupJobs.ts"
import { mailJobs } from "./operations/MailJobs.ts"
import { planJobs } from "./programmes/PlanJobs.ts"
import { topicJobs } from "./programmes/TopicJobs.ts"
import { markJobs } from "./segments/MarkJobs.ts"
import { scriptJobs } from "./segments/ScriptJobs.ts"
import { uploadJobs } from "./segments/UploadJobs.ts"
import { jobWorker } from "./runtime/JobWorker.ts"

/** All background work, subject by subject. A new kind is one more line in its subject's list. */
export const JobsLive = jobWorker([
  ...uploadJobs,
  ...markJobs,
  ...scriptJobs,
  ...planJobs,
  ...topicJobs,
  ...webhookJobs,
  ...inboxJobs,
  ...mailJobs,
  ...cleanupJobs
])
