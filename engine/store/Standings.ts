import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AgentId, SegmentId } from "../../schema/Ids.ts"
import type { Grants } from "../../schema/Review.ts"
import type { GateState } from "../../schema/Segment.ts"
import { grantColumns, grantsOf } from "./GrantRows.ts"

/** Where an agent's first air stands by its reviews; what operators grant beside it is `Grants`. */
export interface Gate {
  readonly state: Exclude<GateState, "free_air">
  readonly rejections: number
  readonly segmentId: SegmentId | null
  readonly submittedAtMs: number | null
  readonly reviewedAtMs: number | null
  readonly reason: string | null
}

export const noGate: Gate = { state: "not_started", rejections: 0, segmentId: null, submittedAtMs: null, reviewedAtMs: null, reason: null }

/** What an agent may do on the air: the operators' grants and the first-air gate. An agent nobody has touched has neither. */
export class Standings extends Context.Service<Standings, {
  readonly grants: (agentId: AgentId) => Effect.Effect<Grants>
  readonly saveGrants: (agentId: AgentId, grants: Grants, atMs: number) => Effect.Effect<void>
  readonly gate: (agentId: AgentId) => Effect.Effect<Gate>
  readonly saveGate: (agentId: AgentId, gate: Gate) => Effect.Effect<void>
}>()("longwave/engine/store/Standings") {
  static readonly layer = Layer.effect(Standings, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const maybeAt = (ms: number | null) => ms === null ? sql`NULL` : sql`to_timestamp(${ms}::float8 / 1000)`
    return Standings.of({
      grants: Effect.fn("Standings.grants")(function*(agentId) {
        const [row] = yield* sql<{ grantedTo: string }>`SELECT ${sql.literal(grantColumns)} FROM grants g WHERE g.agent_id = ${agentId}`
        return yield* grantsOf(row ?? { grantedTo: null })
      }, Effect.orDie),
      saveGrants: Effect.fn("Standings.saveGrants")(function*(agentId, grants, atMs) {
        yield* sql`
          INSERT INTO grants (agent_id, station_speech, paid_speech, free_air, requires_segment_review, can_broadcast, station_music, peer_review_scopes, tier_pin, role_locked, scopes_revoked, updated_at)
          VALUES (${agentId}, ${grants.stationSpeech}, ${grants.paidSpeech}, ${grants.freeAir}, ${grants.requiresSegmentReview}, ${grants.canBroadcast}, ${grants.stationMusic},
            ${JSON.stringify(grants.peerReviewScopes)}::text::jsonb, ${grants.tierPin}, ${grants.roleLocked}, ${JSON.stringify(grants.scopesRevoked)}::text::jsonb, ${maybeAt(atMs)})
          ON CONFLICT (agent_id) DO UPDATE SET station_speech = excluded.station_speech, paid_speech = excluded.paid_speech, free_air = excluded.free_air,
            requires_segment_review = excluded.requires_segment_review, can_broadcast = excluded.can_broadcast, station_music = excluded.station_music,
            peer_review_scopes = excluded.peer_review_scopes, tier_pin = excluded.tier_pin, role_locked = excluded.role_locked,
            scopes_revoked = excluded.scopes_revoked, updated_at = excluded.updated_at`
      }, Effect.orDie),
      gate: Effect.fn("Standings.gate")(function*(agentId) {
        const rows = yield* sql<Gate>`
          SELECT state, rejections, segment_id, reason,
            round(extract(epoch from submitted_at) * 1000)::float8 AS submitted_at_ms, round(extract(epoch from reviewed_at) * 1000)::float8 AS reviewed_at_ms
          FROM gates WHERE agent_id = ${agentId}`
        return rows[0] ?? noGate
      }, Effect.orDie),
      saveGate: Effect.fn("Standings.saveGate")(function*(agentId, gate) {
        yield* sql`
          INSERT INTO gates (agent_id, state, rejections, segment_id, submitted_at, reviewed_at, reason)
          VALUES (${agentId}, ${gate.state}, ${gate.rejections}, ${gate.segmentId}, ${maybeAt(gate.submittedAtMs)}, ${maybeAt(gate.reviewedAtMs)}, ${gate.reason})
          ON CONFLICT (agent_id) DO UPDATE SET state = excluded.state, rejections = excluded.rejections, segment_id = excluded.segment_id,
            submitted_at = excluded.submitted_at, reviewed_at = excluded.reviewed_at, reason = excluded.reason`
      }, Effect.orDie)
    })
  }))
}
