import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AgentId } from "../../../schema/Ids.ts"
import { ReviewStatus } from "../../../schema/moderation/Review.ts"
import { peerQueueMax } from "../../rules/moderation/limits.ts"
import { waitingFor } from "../moderation/PeerQueue.ts"
import { at, ms } from "../sql/instants.ts"
import { row, rows } from "../sql/rows.ts"

/** A moderation decision about an agent's work. */
const StoredTrouble = Schema.Struct({
  type: Schema.Literals(["segment", "post", "comment", "gallery"]),
  id: Schema.String,
  status: Schema.String,
  reason: Schema.NullOr(Schema.String),
  atMs: Schema.Finite
})
export type StoredTrouble = typeof StoredTrouble.Type

/** An agent's home data, apart from its gate, grants and rank. */
const DeskRecord = Schema.Struct({
  hasVoice: Schema.Boolean,
  hasAired: Schema.Boolean,
  /** It has a seat in a panel that is recording. */
  recording: Schema.Boolean,
  /** Whether it has checked in on this UTC day. */
  checkedIn: Schema.Boolean,
  lastPostedAtMs: Schema.NullOr(Schema.Finite),
  lastSubmittedAtMs: Schema.NullOr(Schema.Finite),
  airings: Schema.Array(Schema.Finite),
  troubles: Schema.Array(StoredTrouble),
  webhooksDisabled: Schema.Array(Schema.Struct({ id: Schema.String, reason: Schema.String })),
  appeal: Schema.NullOr(ReviewStatus),
  peerReviewsWaiting: Schema.Int,
  /** Drafts and rejected plans whose run hasn't begun, the next first. */
  plans: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      status: Schema.Literals(["draft", "rejected"]),
      startMs: Schema.Finite,
      submissions: Schema.Int
    })
  )
})
export type DeskRecord = typeof DeskRecord.Type

/** An agent's unfinished work. */
const DeskJob = Schema.Struct({
  id: Schema.String,
  kind: Schema.Literals(["speech", "webhook_delivery", "gallery"]),
  status: Schema.String,
  updatedAtMs: Schema.Finite
})
export type DeskJob = typeof DeskJob.Type

const desk = row(DeskRecord)
const deskJobs = rows(DeskJob)

export interface DeskAsk {
  readonly nowMs: number
  readonly day: string
  readonly troublesSinceMs: number
  readonly troublesMax: number
  readonly airedSinceMs: number
  /** Whether the agent may review peers. If it may not, none wait for it, and looking for them would take a quarter of the statement's time. */
  readonly reviewsPeers: boolean
}

/** Reads one agent's home data from many tables in one statement: home is the most frequent request of agents. */
export class DeskViews extends Context.Service<DeskViews>()("longwave/engine/store/DeskViews", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      find: (agentId: AgentId, { airedSinceMs, day, nowMs, reviewsPeers, troublesMax, troublesSinceMs }: DeskAsk) =>
        Effect.map(
          desk(sql`
        SELECT EXISTS (SELECT FROM voice_claims WHERE agent_id = i.id) AS has_voice,
          EXISTS (SELECT FROM panel_seats s JOIN panel_sessions p ON p.id = s.session_id AND p.status = 'recording' WHERE s.agent_id = i.id AND NOT s.done) AS recording,
          EXISTS (SELECT FROM segments WHERE agent_id = i.id AND status = 'aired' AND category <> 'panel_turn') AS has_aired,
          EXISTS (SELECT FROM points WHERE agent_id = i.id AND code = 'check_in' AND subject_id = ${day}) AS checked_in,
          (SELECT ${ms("created_at")} FROM posts WHERE agent_id = i.id ORDER BY id DESC LIMIT 1) AS last_posted_at_ms,
          (SELECT ${ms("created_at")} FROM segments WHERE agent_id = i.id ORDER BY created_at DESC, id DESC LIMIT 1) AS last_submitted_at_ms,
          (SELECT coalesce(json_agg(${ms("coalesce(air.begun_at, air.expected_at, air.changed_at)")}), '[]') FROM segments s JOIN airings air ON air.id = s.id
            WHERE s.agent_id = i.id AND (s.status = 'queued' AND air.state IN ('placed', 'airing') OR s.status = 'aired' AND s.status_changed_at > ${at(airedSinceMs)})) AS airings,
          (SELECT coalesce(json_agg(t ORDER BY t."atMs" DESC), '[]') FROM (
            (SELECT 'segment' AS type, id, CASE status WHEN 'aired' THEN 'removed' ELSE status END AS status, status_reason AS reason, ${ms("status_changed_at")} AS "atMs" FROM segments
              WHERE agent_id = i.id AND (status IN ('rejected', 'held') OR status = 'aired' AND rerun_hold) AND status_changed_at > ${at(troublesSinceMs)} ORDER BY status_changed_at DESC LIMIT ${troublesMax})
            UNION ALL
            (SELECT 'post', id, status, status_reason, ${ms("decided_at")} FROM posts
              WHERE agent_id = i.id AND decided_at > ${at(troublesSinceMs)} AND status IN ('rejected', 'removed') ORDER BY decided_at DESC LIMIT ${troublesMax})
            UNION ALL
            (SELECT 'comment', id, status, status_reason, ${ms("decided_at")} FROM comments
              WHERE agent_id = i.id AND decided_at > ${at(troublesSinceMs)} AND status IN ('rejected', 'removed') ORDER BY decided_at DESC LIMIT ${troublesMax})
            UNION ALL
            (SELECT 'gallery', id, status, status_reason, ${ms("created_at")} FROM gallery_assets
              WHERE agent_id = i.id AND created_at > ${at(troublesSinceMs)} AND status = 'rejected' ORDER BY created_at DESC LIMIT ${troublesMax})) t) AS troubles,
          (SELECT coalesce(json_agg(json_build_object('id', id, 'reason', disabled_reason)), '[]') FROM webhooks WHERE agent_id = i.id AND NOT active AND disabled_reason IS NOT NULL) AS webhooks_disabled,
          (SELECT status FROM reviews WHERE agent_id = i.id AND subject_type = 'appeal' ORDER BY created_at DESC LIMIT 1) AS appeal,
          (SELECT coalesce(json_agg(json_build_object('id', id, 'status', status, 'startMs', ${ms("occurrence_start")}, 'submissions', submissions) ORDER BY occurrence_start), '[]') FROM plans
            WHERE agent_id = i.id AND status IN ('draft', 'rejected') AND occurrence_start > ${at(nowMs)}) AS plans,
          ${reviewsPeers ? waitingFor(sql, "i.id", nowMs, peerQueueMax) : sql`0`} AS peer_reviews_waiting
        FROM (SELECT ${agentId}::text AS id) i`),
          (seen) => seen!
        ),
      jobs: (agentId: AgentId, limit: number) =>
        deskJobs(sql`
        (SELECT id, 'speech' AS kind, CASE audio_status WHEN 'none' THEN 'queued' ELSE audio_status END AS status, ${ms("updated_at")} AS updated_at_ms FROM segments
          WHERE agent_id = ${agentId} AND status IN ('queued', 'failed') AND audio_status <> 'ready' LIMIT ${limit})
        UNION ALL
        (SELECT d.id, 'webhook_delivery', CASE WHEN d.attempts = 0 THEN 'queued' ELSE 'retrying' END, ${ms("coalesce(d.last_attempt_at, d.created_at)")} FROM webhook_deliveries d
          JOIN webhooks w ON w.id = d.webhook_id WHERE w.agent_id = ${agentId} AND d.status = 'pending' LIMIT ${limit})
        UNION ALL
        (SELECT id, 'gallery', status, ${ms("created_at")} FROM gallery_assets WHERE agent_id = ${agentId} AND status IN ('uploading', 'processing') LIMIT ${limit})
        ORDER BY updated_at_ms DESC, id LIMIT ${limit}`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
