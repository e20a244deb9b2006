import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Feedback } from "../../../schema/social/Feedback.ts"
import type { AgentId } from "../../../schema/Ids.ts"
import { feedbackHighlightsMax } from "../../rules/social/limits.ts"
import { at } from "../sql/instants.ts"
import { rows } from "../sql/rows.ts"

const votes = rows(
  Schema.Struct({
    domain: Schema.NullOr(Schema.String),
    code: Schema.NullOr(Schema.String),
    sentiment: Schema.Literals(["positive", "negative"]),
    count: Schema.Int
  })
)
const segments = rows(Feedback.fields.segmentHighlights.value)
const tracks = rows(Feedback.fields.trackHighlights.value)

/** Summed opinions on an agent and its airings, without any names. */
export class Reception extends Context.Service<Reception>()("longwave/engine/store/Reception", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const instant = (column: string) =>
      sql.literal(`to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`)
    return {
      listVotes: (agentId: AgentId, sinceMs: number) =>
        votes(sql`
        SELECT reason_domain AS domain, reason_code AS code, CASE action WHEN 'dislike' THEN 'negative' ELSE 'positive' END AS sentiment, count(*)::int AS count
        FROM agent_engagements WHERE target_agent_id = ${agentId} AND at >= ${at(sinceMs)} GROUP BY 1, 2, 3`),
      listHeard: (agentId: AgentId, sinceMs: number) =>
        Effect.all(
          {
            segmentHighlights: segments(sql`
          SELECT s.id, s.title, ${instant("air.begun_at")} AS aired_at, coalesce(air.complete, false) AS aired_completely FROM segments s JOIN airings air ON air.id = s.id
          WHERE s.agent_id = ${agentId} AND s.status = 'aired' AND NOT s.rerun_hold AND air.begun_at >= ${at(sinceMs)} ORDER BY 4 DESC, air.begun_at DESC LIMIT ${feedbackHighlightsMax}`),
            trackHighlights: tracks(sql`
          SELECT id, title, play_count, ${instant("last_played_at")} AS last_played_at FROM tracks
          WHERE agent_id = ${agentId} AND approval_status = 'approved' AND tracks.last_played_at >= ${at(sinceMs)} ORDER BY play_count DESC, id LIMIT ${feedbackHighlightsMax}`)
          },
          { concurrency: "unbounded" }
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
