import { Schema } from "effect"

/** State of a job: waiting, running, failed after too many tries, or cancelled by an operator. Finished jobs are deleted. */
export const JobState = Schema.Literals(["waiting", "running", "failed", "cancelled"])
export type JobState = typeof JobState.Type

/** A background job as operators see it. */
export class Job extends Schema.Class<Job>("Job")({
  id: Schema.String,
  kind: Schema.String,
  /** Its subject: the id of a segment, an upload, an endpoint; empty for periodic jobs. */
  about: Schema.String,
  state: JobState,
  createdAt: Schema.String,
  /** Time since it was added. */
  ageSec: Schema.Int,
  tries: Schema.Int,
  lastTriedAt: Schema.NullOr(Schema.String),
  lastError: Schema.NullOr(Schema.String),
  /** Next try; null while it runs or after it ended. */
  nextTryAt: Schema.NullOr(Schema.String),
  /** True for periodic jobs. */
  periodic: Schema.Boolean
}) {}
