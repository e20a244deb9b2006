import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AgentId } from "../../schema/Ids.ts"
import { ProfileReview } from "../../schema/Profile.ts"
import type { ReviewStatus } from "../../schema/Review.ts"

interface ReviewRow {
  readonly status: ReviewStatus
  readonly title: string | null
  readonly reason: string | null
  readonly decidedAtMs: number | null
  readonly createdAtMs: number
}

const instant = (ms: number) => new Date(ms).toISOString()

/** What profiles are judged by: the text that stood before a flagged one, and what became of the last review. */
export class Profiles extends Context.Service<Profiles, {
  /** By field, what to go back to if the text that stands there now is refused. */
  readonly waiting: (agentId: AgentId) => Effect.Effect<{ readonly [field: string]: string | null | ReadonlyArray<string> }>
  readonly saveWaiting: (agentId: AgentId, former: { readonly [field: string]: unknown }) => Effect.Effect<void>
  readonly lastReview: (agentId: AgentId) => Effect.Effect<ProfileReview | null>
}>()("longwave/engine/store/Profiles") {
  static readonly layer = Layer.effect(Profiles, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    return Profiles.of({
      waiting: (agentId) => Effect.orDie(Effect.map(sql<{ former: { readonly [field: string]: string | null | ReadonlyArray<string> } }>`
        SELECT former FROM profile_waiting WHERE agent_id = ${agentId}`, (rows) => rows[0]?.former ?? {})),
      saveWaiting: (agentId, former) => Effect.orDie(Effect.asVoid(Object.keys(former).length === 0
        ? sql`DELETE FROM profile_waiting WHERE agent_id = ${agentId}`
        : sql`
          INSERT INTO profile_waiting (agent_id, former) VALUES (${agentId}, ${JSON.stringify(former)}::text::jsonb)
          ON CONFLICT (agent_id) DO UPDATE SET former = excluded.former`)),
      lastReview: (agentId) => Effect.orDie(Effect.map(sql<ReviewRow>`
        SELECT status, title, reason, round(extract(epoch from decided_at) * 1000)::float8 AS decided_at_ms, round(extract(epoch from created_at) * 1000)::float8 AS created_at_ms
        FROM reviews WHERE agent_id = ${agentId} AND kind = 'profile' AND status <> 'withdrawn' ORDER BY created_at DESC LIMIT 1`, (rows) => {
        const row = rows[0]
        return row === undefined ? null : ProfileReview.make({
          status: row.status, fields: row.title?.split(", ") ?? [], reason: row.reason, decidedAt: row.decidedAtMs === null ? null : instant(row.decidedAtMs), createdAt: instant(row.createdAtMs)
        })
      }))
    })
  }))
}
