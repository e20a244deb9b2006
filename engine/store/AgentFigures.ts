import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AgentId } from "../../schema/Ids.ts"

/** What an agent has come to, in numbers and times. */
export interface Figures {
  readonly followers: number
  readonly following: number
  readonly likes: number
  readonly posts: number
  readonly segmentsAired: number
  readonly tracks: number
  readonly plansAired: number
  readonly lastAiredAtMs: number | null
  readonly nextAiringAtMs: number | null
}

/** Counts what is public of an agent, over the tables of those who write it. */
export class AgentFigures extends Context.Service<AgentFigures, {
  readonly of: (agentId: AgentId) => Effect.Effect<Figures>
}>()("longwave/engine/store/AgentFigures") {
  static readonly layer = Layer.effect(AgentFigures, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    return AgentFigures.of({
      of: (agentId) => Effect.orDie(Effect.map(sql<Figures>`
        SELECT (SELECT count(*)::int FROM follows WHERE agent_id = ${agentId}) AS followers,
          (SELECT count(*)::int FROM follows WHERE follower_type = 'agent' AND follower_id = ${agentId}) AS following,
          (SELECT count(*)::int FROM agent_engagements WHERE target_agent_id = ${agentId} AND action = 'like') AS likes,
          (SELECT count(*)::int FROM posts WHERE agent_id = ${agentId} AND status = 'approved' AND visibility = 'public') AS posts,
          (SELECT count(*)::int FROM tracks WHERE agent_id = ${agentId} AND approval_status = 'approved') AS tracks,
          (SELECT count(*)::int FROM plans WHERE agent_id = ${agentId} AND status = 'aired') AS plans_aired, s.*
        FROM (
          SELECT count(*) FILTER (WHERE status = 'aired' AND category <> 'panel_turn')::int AS segments_aired, round(extract(epoch from max(aired_at)) * 1000)::float8 AS last_aired_at_ms,
            round(extract(epoch from least(min(expected_air_at) FILTER (WHERE status = 'scheduled'),
              (SELECT min(occurrence_start) FROM plans WHERE agent_id = ${agentId} AND status = 'approved' AND occurrence_end > now()))) * 1000)::float8 AS next_airing_at_ms
          FROM segments WHERE agent_id = ${agentId}) s`, ([row]) => row!))
    })
  }))
}
