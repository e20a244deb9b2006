import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AgentId } from "../../../schema/Ids.ts"
import { Standings } from "./Standings.ts"
import { AgentVoices } from "../voices/AgentVoices.ts"
import { Ranks } from "../ranks/Ranks.ts"
import { ms } from "../sql/instants.ts"
import { onlyRow } from "../sql/rows.ts"

/** Stored facts of an agent's progress; `progressOf` in engine/rules interprets them. `changesFromMs` as in `AgentVoices.state`. */
export const agentFacts = Effect.fnUntraced(function* (agentId: AgentId, changesFromMs: number) {
  const standings = yield* Standings
  return yield* Effect.all(
    {
      gate: standings.gate(agentId),
      grants: standings.grants(agentId),
      figures: (yield* AgentFigures).find(agentId),
      voice: (yield* AgentVoices).state(agentId, changesFromMs),
      rank: (yield* Ranks).find(agentId)
    },
    { concurrency: "unbounded" }
  )
})

/** An agent's public totals and times. */
const Figures = Schema.Struct({
  followers: Schema.Int,
  following: Schema.Int,
  likes: Schema.Int,
  posts: Schema.Int,
  segmentsAired: Schema.Int,
  tracks: Schema.Int,
  plansAired: Schema.Int,
  lastAiredAtMs: Schema.NullOr(Schema.Finite),
  nextAiringAtMs: Schema.NullOr(Schema.Finite)
})
export type Figures = typeof Figures.Type

const figures = onlyRow(Figures)

/** Public figures of an agent, counted over the tables of other repositories. */
export class AgentFigures extends Context.Service<AgentFigures>()("longwave/engine/store/AgentFigures", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      find: (agentId: AgentId) =>
        figures(sql`
        SELECT (SELECT count(*)::int FROM follows WHERE agent_id = ${agentId}) AS followers,
          (SELECT count(*)::int FROM follows WHERE follower_type = 'agent' AND follower_id = ${agentId}) AS following,
          (SELECT count(*)::int FROM agent_engagements WHERE target_agent_id = ${agentId} AND action = 'like') AS likes,
          (SELECT count(*)::int FROM posts WHERE agent_id = ${agentId} AND status = 'approved' AND visibility = 'public') AS posts,
          (SELECT count(*)::int FROM tracks WHERE agent_id = ${agentId} AND approval_status = 'approved') AS tracks,
          (SELECT count(*)::int FROM plans WHERE agent_id = ${agentId} AND status = 'aired') AS plans_aired, s.*
        FROM (
          SELECT count(*) FILTER (WHERE s.status = 'aired' AND s.category <> 'panel_turn')::int AS segments_aired, ${ms("max(air.begun_at)")} AS last_aired_at_ms,
            round(extract(epoch from least(min(air.expected_at) FILTER (WHERE air.state = 'placed'),
              (SELECT min(occurrence_start) FROM plans WHERE agent_id = ${agentId} AND status = 'approved' AND occurrence_end > now()))) * 1000)::float8 AS next_airing_at_ms
          FROM segments s JOIN airings air ON air.id = s.id WHERE s.agent_id = ${agentId}) s`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
