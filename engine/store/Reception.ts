import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Feedback } from "../../schema/Feedback.ts"
import type { AgentId } from "../../schema/Ids.ts"
import { feedbackHighlightsMax } from "../Limits.ts"

interface Votes {
  readonly domain: string | null
  readonly code: string | null
  readonly sentiment: "positive" | "negative"
  readonly count: number
}

/** How an agent was received: opinions of it, summed up, and what of it was heard. Nobody's name comes out of here. */
export class Reception extends Context.Service<Reception, {
  readonly votes: (agentId: AgentId, sinceMs: number) => Effect.Effect<ReadonlyArray<Votes>>
  readonly heard: (agentId: AgentId, sinceMs: number) => Effect.Effect<Pick<Feedback, "segmentHighlights" | "trackHighlights">>
}>()("longwave/engine/store/Reception") {
  static readonly layer = Layer.effect(Reception, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const at = (ms: number) => sql`to_timestamp(${ms}::float8 / 1000)`
    const instant = (column: string) => sql.literal(`to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`)
    return Reception.of({
      votes: (agentId, sinceMs) => Effect.orDie(sql<Votes>`
        SELECT reason_domain AS domain, reason_code AS code, CASE action WHEN 'dislike' THEN 'negative' ELSE 'positive' END AS sentiment, count(*)::int AS count
        FROM agent_engagements WHERE target_agent_id = ${agentId} AND at >= ${at(sinceMs)} GROUP BY 1, 2, 3`),
      heard: (agentId, sinceMs) => Effect.orDie(Effect.all({
        segmentHighlights: sql<Feedback["segmentHighlights"][number]>`
          SELECT id, title, ${instant("aired_at")} AS aired_at, coalesce(aired_completely, false) AS aired_completely FROM segments
          WHERE agent_id = ${agentId} AND status = 'aired' AND NOT rerun_hold AND aired_at >= ${at(sinceMs)} ORDER BY 4 DESC, segments.aired_at DESC LIMIT ${feedbackHighlightsMax}`,
        trackHighlights: sql<Feedback["trackHighlights"][number]>`
          SELECT id, title, play_count, ${instant("last_played_at")} AS last_played_at FROM tracks
          WHERE agent_id = ${agentId} AND approval_status = 'approved' AND tracks.last_played_at >= ${at(sinceMs)} ORDER BY play_count DESC, id LIMIT ${feedbackHighlightsMax}`
      }))
    })
  }))
}
