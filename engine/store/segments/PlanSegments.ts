import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type AgentId, type PlanId, SegmentId } from "../../../schema/Ids.ts"
import type { SegmentStatus } from "../../../schema/segments/Segment.ts"
import { endAiring, segmentsAndAirings, segmentStatusNow } from "../sql/airings.ts"
import { at, ms } from "../sql/instants.ts"
import { rows, run } from "../sql/rows.ts"
import { segments, selectSegments } from "./Segments.ts"

const promised = rows(Schema.Struct({ isOwn: Schema.Boolean, byMs: Schema.Finite, words: Schema.Int }))
const bound = rows(Schema.Struct({ id: SegmentId }))

/** Segments bound to a plan: they air only in it while they belong to it. */
export class PlanSegmentsWriter extends Context.Service<PlanSegmentsWriter>()(
  "longwave/engine/store/PlanSegmentsWriter",
  {
    make: Effect.map(SqlClient.SqlClient, (sql) => ({
      /** Takes the agent's own segments out of the open queue; returns those that were available. Within the caller's transaction. */
      bind: (planId: PlanId, agentId: AgentId, ids: ReadonlyArray<SegmentId>, status: ReadonlyArray<SegmentStatus>) =>
        ids.length === 0
          ? Effect.succeed([])
          : Effect.map(
              bound(sql`
      UPDATE segments SET plan_id = ${planId}, updated_at = now()
      WHERE id IN ${sql.in(ids)} AND agent_id = ${agentId} AND category <> 'panel_turn' AND (plan_id IS NULL OR plan_id = ${planId})
        AND id IN (SELECT s.id FROM ${sql.literal(segmentsAndAirings)} WHERE s.id IN ${sql.in(ids)} AND ${sql.literal(segmentStatusNow)} IN ${sql.in(status)}) RETURNING id`),
              (found) => found.map(({ id }) => id)
            ),
      listByPlan: (planId: PlanId) =>
        segments(sql`${sql.literal(selectSegments)} WHERE s.plan_id = ${planId} ORDER BY s.created_at, s.id`),
      /** Text of submitted plans, except one, that isn't synthesized yet. Running syntheses are already counted on the meters. */
      listPromised: (agentId: AgentId, but: PlanId) =>
        promised(sql`
      SELECT p.agent_id = ${agentId} AS is_own, ${ms("p.occurrence_start")} AS by_ms, sum(s.word_count)::int AS words
      FROM segments s JOIN plans p ON p.id = s.plan_id
      WHERE s.audio_status = 'none' AND s.status IN ('queued', 'pending_review') AND s.plan_id <> ${but} AND p.status IN ('submitted', 'approved') AND p.occurrence_start > now()
      GROUP BY 1, 2`),
      /** After the plan's end: unaired segments made for it end, the others return to the open queue. */
      planOver: Effect.fnUntraced(function* (planId: PlanId, atMs: number) {
        const made = sql`id IN (SELECT i->>'segmentId' FROM plans, jsonb_array_elements(items) i WHERE plans.id = ${planId} AND i->>'kind' IN ('talk', 'upload'))`
        yield* run(sql`
      WITH gone AS (${endAiring("segment", "Withdraw", sql`state = 'waiting' AND id IN (SELECT id FROM segments WHERE plan_id = ${planId} AND ${made})`, "PLAN_OVER", atMs)})
      UPDATE segments SET status = 'cancelled', status_reason = 'PLAN_OVER', status_changed_at = ${at(atMs)}, updated_at = ${at(atMs)}
      WHERE plan_id = ${planId} AND ${made} AND (status = 'pending_review' OR id IN (SELECT id FROM gone))`)
        yield* run(sql`
      UPDATE segments SET plan_id = NULL, updated_at = ${at(atMs)} WHERE plan_id = ${planId} AND NOT ${made} AND (status IN ('pending_review', 'held')
        OR status = 'queued' AND EXISTS (SELECT 1 FROM airings air WHERE air.id = segments.id AND air.state = 'waiting'))`)
      }),
      /** Returns segments to the open queue. */
      release: (planId: PlanId, ids: ReadonlyArray<SegmentId>) =>
        ids.length === 0
          ? Effect.void
          : run(
              sql`UPDATE segments SET plan_id = NULL, updated_at = now() WHERE plan_id = ${planId} AND id IN ${sql.in(ids)}`
            )
    }))
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}

export class PlanSegments extends Context.Service<
  PlanSegments,
  Pick<PlanSegmentsWriter["Service"], "listByPlan" | "listPromised">
>()("longwave/engine/store/PlanSegments") {
  static readonly layer = Layer.effect(this, PlanSegmentsWriter).pipe(Layer.provideMerge(PlanSegmentsWriter.layer))
}
