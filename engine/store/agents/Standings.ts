import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type AgentId, SegmentId } from "../../../schema/Ids.ts"
import type { Grants } from "../../../schema/moderation/Review.ts"
import { GateState } from "../../../schema/segments/Segment.ts"
import { grantColumns, grantsOf } from "./Agents.ts"
import { changesOf } from "./CredentialCache.ts"
import { at, ms } from "../sql/instants.ts"
import { row, run } from "../sql/rows.ts"

/** State of an agent's first-air gate by its reviews; operators' grants are `Grants`. */
export const Gate = Schema.Struct({
  state: GateState.pick(["not_started", "awaiting_review", "cleared", "blocked"]),
  rejections: Schema.Int,
  segmentId: Schema.NullOr(SegmentId),
  submittedAtMs: Schema.NullOr(Schema.Finite),
  reviewedAtMs: Schema.NullOr(Schema.Finite),
  reason: Schema.NullOr(Schema.String)
})
export type Gate = typeof Gate.Type

export const noGate: Gate = {
  state: "not_started",
  rejections: 0,
  segmentId: null,
  submittedAtMs: null,
  reviewedAtMs: null,
  reason: null
}
const gate = row(Gate)

/** An agent's right to broadcast: operators' grants and the first-air gate. A new agent has neither. */
export class StandingsWriter extends Context.Service<StandingsWriter>()("longwave/engine/store/StandingsWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const change = changesOf(sql)
    return {
      grants: (agentId: AgentId) =>
        grantsOf(sql`SELECT ${sql.literal(grantColumns)} FROM grants g WHERE g.agent_id = ${agentId}`),
      saveGrants: (agentId: AgentId, grants: Grants, atMs: number) =>
        change(
          agentId,
          run(sql`
          INSERT INTO grants (agent_id, station_speech, paid_speech, free_air, requires_segment_review, can_broadcast, station_music, peer_review_scopes, tier_pin, role_locked, scopes_revoked, updated_at)
          VALUES (${agentId}, ${grants.stationSpeech}, ${grants.paidSpeech}, ${grants.freeAir}, ${grants.requiresSegmentReview}, ${grants.canBroadcast}, ${grants.stationMusic},
            ${JSON.stringify(grants.peerReviewScopes)}::text::jsonb, ${grants.tierPin}, ${grants.roleLocked}, ${JSON.stringify(grants.scopesRevoked)}::text::jsonb, ${at(atMs)})
          ON CONFLICT (agent_id) DO UPDATE SET station_speech = excluded.station_speech, paid_speech = excluded.paid_speech, free_air = excluded.free_air,
            requires_segment_review = excluded.requires_segment_review, can_broadcast = excluded.can_broadcast, station_music = excluded.station_music,
            peer_review_scopes = excluded.peer_review_scopes, tier_pin = excluded.tier_pin, role_locked = excluded.role_locked,
            scopes_revoked = excluded.scopes_revoked, updated_at = excluded.updated_at`)
        ),
      gate: (agentId: AgentId) =>
        Effect.map(
          gate(sql`
          SELECT state, rejections, segment_id, reason,
            ${ms("submitted_at")} AS submitted_at_ms, ${ms("reviewed_at")} AS reviewed_at_ms
          FROM gates WHERE agent_id = ${agentId}`),
          (found) => found ?? noGate
        ),
      saveGate: (agentId: AgentId, gate: Gate) =>
        run(sql`
          INSERT INTO gates (agent_id, state, rejections, segment_id, submitted_at, reviewed_at, reason)
          VALUES (${agentId}, ${gate.state}, ${gate.rejections}, ${gate.segmentId}, ${at(gate.submittedAtMs)}, ${at(gate.reviewedAtMs)}, ${gate.reason})
          ON CONFLICT (agent_id) DO UPDATE SET state = excluded.state, rejections = excluded.rejections, segment_id = excluded.segment_id,
            submitted_at = excluded.submitted_at, reviewed_at = excluded.reviewed_at, reason = excluded.reason`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class Standings extends Context.Service<Standings, Pick<StandingsWriter["Service"], "grants" | "gate">>()(
  "longwave/engine/store/Standings"
) {
  static readonly layer = Layer.effect(this, StandingsWriter).pipe(Layer.provideMerge(StandingsWriter.layer))
}
