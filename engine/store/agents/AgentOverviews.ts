import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AgentId } from "../../../schema/Ids.ts"
import type { Grants } from "../../../schema/moderation/Review.ts"
import { lastViolationOf, Tier } from "../ranks/Ranks.ts"
import { SegmentCounts, segmentCountsOf } from "../segments/Segments.ts"
import { ms } from "../sql/instants.ts"
import { rows } from "../sql/rows.ts"
import { grantColumns, grantsOfMany } from "./Agents.ts"
import { Gate } from "./Standings.ts"

const Overview = Schema.Struct({
  ...Gate.fields,
  agentId: AgentId,
  tier: Tier,
  weight: Schema.Finite,
  lastViolationAtMs: Schema.NullOr(Schema.Finite),
  hasVoice: Schema.Boolean,
  ...SegmentCounts.fields
})
const overviews = rows(Overview)

/** What a list of agents shows of one, apart from its profile. */
export type AgentOverview = typeof Overview.Type & { readonly grants: Grants }

/** Reads the gate, grants, rank, voice and segment counts of many agents in one statement, because a statement or more per agent makes a list slow. */
export class AgentOverviews extends Context.Service<AgentOverviews>()("longwave/engine/store/AgentOverviews", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      findMany: Effect.fnUntraced(function* (agentIds: ReadonlyArray<AgentId>) {
        if (agentIds.length === 0) return new Map<AgentId, AgentOverview>()
        const found = Effect.succeed(
          yield* sql`
          SELECT a.id AS agent_id, ${sql.literal(grantColumns)}, coalesce(t.state, 'not_started') AS state, coalesce(t.rejections, 0) AS rejections, t.segment_id, t.reason,
            ${ms("t.submitted_at")} AS submitted_at_ms, ${ms("t.reviewed_at")} AS reviewed_at_ms, coalesce(g.tier_pin, r.earned_tier, 0) AS tier, coalesce(r.weight, 0) AS weight,
            ${lastViolationOf("a.id")} AS last_violation_at_ms, EXISTS (SELECT FROM voice_claims c WHERE c.agent_id = a.id) AS has_voice, s.*
          FROM agents a LEFT JOIN grants g ON g.agent_id = a.id LEFT JOIN gates t ON t.agent_id = a.id LEFT JOIN ranks r ON r.agent_id = a.id CROSS JOIN LATERAL (${segmentCountsOf(sql, sql.literal("a.id"))}) s
          WHERE a.id IN ${sql.in(agentIds)}`
        )
        const grants = yield* grantsOfMany(found)
        return new Map<AgentId, AgentOverview>(
          (yield* overviews(found)).map((one, index) => [one.agentId, { ...one, grants: grants[index]! }])
        )
      }, Effect.orDie)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
