import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AgentId, PlanId, SegmentId } from "../../schema/Ids.ts"
import type { SegmentStatus } from "../../schema/Segment.ts"
import { columns, fromRow, type SegmentRecord } from "./SegmentRecords.ts"

/** What is spoken in a plan: it airs there or not at all, for as long as it belongs to it. */
export class PlanSegments extends Context.Service<PlanSegments, {
  /** Takes the agent's own out of the open queue; answers those that could be had. Within the caller's transaction. */
  readonly bind: (planId: PlanId, agentId: AgentId, ids: ReadonlyArray<SegmentId>, status: ReadonlyArray<SegmentStatus>) => Effect.Effect<ReadonlyArray<SegmentId>>
  readonly ofPlan: (planId: PlanId) => Effect.Effect<ReadonlyArray<SegmentRecord>>
  /** Gives them back to the open queue. */
  readonly release: (planId: PlanId, ids: ReadonlyArray<SegmentId>) => Effect.Effect<void>
}>()("longwave/engine/store/PlanSegments") {
  static readonly layer = Layer.effect(PlanSegments, Effect.map(SqlClient.SqlClient, (sql) => PlanSegments.of({
    bind: (planId, agentId, ids, status) => ids.length === 0 ? Effect.succeed([]) : Effect.orDie(Effect.map(sql<{ id: SegmentId }>`
      UPDATE segments SET plan_id = ${planId}, updated_at = now()
      WHERE id IN ${sql.in(ids)} AND agent_id = ${agentId} AND category <> 'panel_turn' AND (plan_id IS NULL OR plan_id = ${planId}) AND status IN ${sql.in(status)} RETURNING id`, (rows) => rows.map(({ id }) => id))),
    ofPlan: (planId) => Effect.orDie(Effect.map(sql<SegmentRecord>`SELECT ${sql.literal(columns)} FROM segments WHERE plan_id = ${planId} ORDER BY created_at, id`, (rows) => rows.map(fromRow))),
    release: (planId, ids) => ids.length === 0 ? Effect.void : Effect.orDie(Effect.asVoid(sql`UPDATE segments SET plan_id = NULL, updated_at = now() WHERE plan_id = ${planId} AND id IN ${sql.in(ids)}`))
  })))
}
