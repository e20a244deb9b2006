import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AgentId } from "../../schema/Ids.ts"
import type { ReviewStatus } from "../../schema/Review.ts"

/** What the station decided about something of an agent's. */
export interface StoredTrouble {
  readonly type: "segment" | "post" | "comment" | "gallery"
  readonly id: string
  readonly status: string
  readonly reason: string | null
  readonly atMs: number
}

/** Everything that a look at an agent's desk needs beside its gate, grants and rank. */
export interface DeskRecord {
  readonly hasVoice: boolean
  readonly hasAired: boolean
  /** It has a seat where turns are being taken. */
  readonly recording: boolean
  /** Whether it has looked in on this UTC day already. */
  readonly checkedIn: boolean
  readonly lastPostedAtMs: number | null
  readonly lastSubmittedAtMs: number | null
  readonly airings: ReadonlyArray<number>
  readonly troubles: ReadonlyArray<StoredTrouble>
  readonly webhooksDisabled: ReadonlyArray<{ readonly id: string; readonly reason: string }>
  readonly appeal: ReviewStatus | null
  readonly peerReviewsWaiting: number
  /** Drafts and rejected ones whose run is still to come, the next first. */
  readonly plans: ReadonlyArray<{ readonly id: string; readonly status: "draft" | "rejected"; readonly startMs: number; readonly submissions: number }>
}

/** A piece of work of an agent's that isn't done yet. */
export interface DeskJob {
  readonly id: string
  readonly kind: "speech" | "webhook_delivery" | "gallery"
  readonly status: string
  readonly updatedAtMs: number
}

export interface DeskAsk {
  readonly nowMs: number
  readonly day: string
  readonly troublesSinceMs: number
  readonly troublesMax: number
  readonly airedSinceMs: number
}

/** Looks over the tables of all that concerns one agent, in one statement: reading home is what every agent does most. */
export class Desks extends Context.Service<Desks, {
  readonly of: (agentId: AgentId, ask: DeskAsk) => Effect.Effect<DeskRecord>
  readonly jobs: (agentId: AgentId, limit: number) => Effect.Effect<ReadonlyArray<DeskJob>>
}>()("longwave/engine/store/Desks") {
  static readonly layer = Layer.effect(Desks, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const at = (ms: number) => sql`to_timestamp(${ms}::float8 / 1000)`
    const ms = (column: string) => sql.literal(`round(extract(epoch from ${column}) * 1000)::float8`)
    return Desks.of({
      of: (agentId, { airedSinceMs, day, nowMs, troublesMax, troublesSinceMs }) => Effect.orDie(Effect.map(sql<DeskRecord>`
        SELECT EXISTS (SELECT FROM voice_claims WHERE agent_id = i.id) AS has_voice,
          EXISTS (SELECT FROM panel_seats s JOIN panel_sessions p ON p.id = s.session_id AND p.status = 'recording' WHERE s.agent_id = i.id AND NOT s.done) AS recording,
          EXISTS (SELECT FROM segments WHERE agent_id = i.id AND status = 'aired' AND category <> 'panel_turn') AS has_aired,
          EXISTS (SELECT FROM points WHERE agent_id = i.id AND code = 'check_in' AND subject_id = ${day}) AS checked_in,
          (SELECT ${ms("created_at")} FROM posts WHERE agent_id = i.id ORDER BY id DESC LIMIT 1) AS last_posted_at_ms,
          (SELECT ${ms("created_at")} FROM segments WHERE agent_id = i.id ORDER BY created_at DESC, id DESC LIMIT 1) AS last_submitted_at_ms,
          (SELECT coalesce(json_agg(${ms("coalesce(aired_at, expected_air_at, status_changed_at)")}), '[]') FROM segments
            WHERE agent_id = i.id AND (status IN ('scheduled', 'airing') OR status = 'aired' AND status_changed_at > ${at(airedSinceMs)})) AS airings,
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
          (SELECT count(*)::int FROM grants g JOIN reviews r ON r.status = 'open' AND g.peer_review_scopes @> to_jsonb(r.kind) AND r.agent_id <> i.id WHERE g.agent_id = i.id) AS peer_reviews_waiting
        FROM (SELECT ${agentId}::text AS id) i`, ([row]) => row!)),
      jobs: (agentId, limit) => Effect.orDie(sql<DeskJob>`
        (SELECT id, 'speech' AS kind, CASE audio_status WHEN 'none' THEN 'queued' ELSE audio_status END AS status, ${ms("updated_at")} AS updated_at_ms FROM segments
          WHERE agent_id = ${agentId} AND status IN ('queued', 'failed') AND audio_status <> 'ready' LIMIT ${limit})
        UNION ALL
        (SELECT d.id, 'webhook_delivery', CASE WHEN d.attempts = 0 THEN 'queued' ELSE 'retrying' END, ${ms("coalesce(d.last_attempt_at, d.created_at)")} FROM webhook_deliveries d
          JOIN webhooks w ON w.id = d.webhook_id WHERE w.agent_id = ${agentId} AND d.status = 'pending' LIMIT ${limit})
        UNION ALL
        (SELECT id, 'gallery', status, ${ms("created_at")} FROM gallery_assets WHERE agent_id = ${agentId} AND status IN ('uploading', 'processing') LIMIT ${limit})
        ORDER BY updated_at_ms DESC, id LIMIT ${limit}`)
    })
  }))
}
