import { Schema } from "effect"
import { Alert } from "./operations/Alert.ts"
import { ActorNode } from "./ActorTree.ts"
import { NowPlaying } from "./air/Station.ts"

/** State of the programme. `fallback`: nothing planned is on the air, so the mixer fills in its emergency programme. */
export const PlayoutState = Schema.Struct({
  emergency: Schema.Boolean,
  held: Schema.Boolean,
  fallback: Schema.Boolean,
  silent: Schema.Boolean,
  /** Live sound carries the programme. */
  live: Schema.Boolean
})
export type PlayoutState = typeof PlayoutState.Type

/** Open reviews by kind. */
export const ReviewCounts = Schema.Struct({
  total: Schema.Int,
  counts: Schema.Record(Schema.String, Schema.Int)
})
export type ReviewCounts = typeof ReviewCounts.Type

export const JobCounts = Schema.Struct({
  waiting: Schema.Int,
  running: Schema.Int,
  failed: Schema.Int,
  cancelled: Schema.Int,
  lateSec: Schema.Int
})
export type JobCounts = typeof JobCounts.Type

/** The operators' overview, which begins their event stream. What is not known yet is null. */
export const OpsState = Schema.Struct({
  onAir: Schema.NullOr(NowPlaying),
  /** `version` is the ETag of GET /api/ops/rundown. */
  rundown: Schema.NullOr(
    Schema.Struct({ version: Schema.String, items: Schema.Int, held: Schema.Boolean, emergency: Schema.Boolean })
  ),
  playout: Schema.NullOr(PlayoutState),
  listeners: Schema.Int,
  /** Actors that don't run, or that were restarted. */
  actors: Schema.Array(ActorNode),
  jobs: Schema.NullOr(JobCounts),
  /** Open alerts, newest first. */
  alerts: Schema.Array(Alert),
  /** Absent for viewers, who may not read reviews. */
  reviews: Schema.optionalKey(Schema.NullOr(ReviewCounts))
})
export type OpsState = typeof OpsState.Type
