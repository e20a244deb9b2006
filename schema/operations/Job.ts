import { Schema } from "effect"

/** Waiting for its time, being worked at, given up after too many tries, or ended by an operator. What is done is no job any more. */
export const JobState = Schema.Literals(["waiting", "running", "failed", "cancelled"])
export type JobState = typeof JobState.Type

/** A piece of background work as operators see it. */
export class Job extends Schema.Class<Job>("Job")({
  id: Schema.String,
  kind: Schema.String,
  /** What it is about: the id of a segment, an upload, an endpoint; empty for what the station does at its times. */
  about: Schema.String,
  state: JobState,
  createdAt: Schema.String,
  /** How long ago it was asked for. */
  ageSec: Schema.Int,
  tries: Schema.Int,
  lastTriedAt: Schema.NullOr(Schema.String),
  lastError: Schema.NullOr(Schema.String),
  /** When it is next taken up; null for what is being worked at or has ended. */
  nextTryAt: Schema.NullOr(Schema.String),
  /** It comes again by itself. */
  periodic: Schema.Boolean
}) {}
