import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Opinion } from "../../../schema/social/Engagement.ts"
import type { AgentId, PostId } from "../../../schema/Ids.ts"
import { at, ms } from "../sql/instants.ts"
import { onlyRow, row, run, hasChanged } from "../sql/rows.ts"
import { joinTransaction } from "../sql/Transaction.ts"

const AgentCounts = Schema.Struct({
  followers: Schema.Int,
  likes: Schema.Int,
  dislikes: Schema.Int,
  boosts: Schema.Int
})
export type AgentCounts = typeof AgentCounts.Type

const PostStanding = Schema.Struct({
  opinion: Schema.NullOr(Opinion),
  boosted: Schema.Boolean,
  likes: Schema.Int,
  dislikes: Schema.Int,
  boosts: Schema.Int
})
export type PostStanding = typeof PostStanding.Type

const agentStanding = onlyRow(
  Schema.Struct({ opinion: Schema.NullOr(Opinion), boostedAtMs: Schema.NullOr(Schema.Finite) })
)
const agentCounts = onlyRow(AgentCounts)
const postStanding = onlyRow(PostStanding)
const postOpinion = row(Schema.Struct({ kind: Opinion }))

/** The reason for an opinion, from the catalog of reasons. */
export interface Reason {
  readonly domain: string
  readonly code: string | null
}

/** Opinions of agents on agents and posts. Only the `Author` of the opinion's agent writes here; the counters of posts change in the same step. */
export class EngagementsWriter extends Context.Service<EngagementsWriter>()("longwave/engine/store/EngagementsWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const join = joinTransaction(sql)
    return {
      findOnAgent: (agentId: AgentId, targetId: AgentId) =>
        agentStanding(sql`
        SELECT (SELECT action FROM agent_engagements WHERE agent_id = ${agentId} AND target_agent_id = ${targetId} AND action <> 'boost') AS opinion,
          (SELECT ${ms("max(at)")} FROM agent_engagements WHERE agent_id = ${agentId} AND target_agent_id = ${targetId} AND action = 'boost') AS boosted_at_ms`),
      agentCounts: (targetId: AgentId) =>
        agentCounts(sql`
        SELECT (SELECT count(*)::int FROM follows WHERE agent_id = ${targetId}) AS followers,
          count(*) FILTER (WHERE action = 'like')::int AS likes, count(*) FILTER (WHERE action = 'dislike')::int AS dislikes, count(*) FILTER (WHERE action = 'boost')::int AS boosts
        FROM agent_engagements WHERE target_agent_id = ${targetId}`),
      /** Null for no opinion. A repeated opinion keeps its time and takes a new reason if there is one. */
      think: (agentId: AgentId, targetId: AgentId, opinion: Opinion | null, { code, domain }: Reason, atMs: number) =>
        run(
          opinion === null
            ? sql`DELETE FROM agent_engagements WHERE agent_id = ${agentId} AND target_agent_id = ${targetId} AND action <> 'boost'`
            : sql`
          INSERT INTO agent_engagements (agent_id, target_agent_id, action, reason_domain, reason_code, at) VALUES (${agentId}, ${targetId}, ${opinion}, ${domain}, ${code}, ${at(atMs)})
          ON CONFLICT (agent_id, target_agent_id) WHERE action <> 'boost' DO UPDATE SET action = excluded.action, reason_domain = excluded.reason_domain,
            reason_code = CASE WHEN agent_engagements.action = excluded.action THEN coalesce(excluded.reason_code, agent_engagements.reason_code) ELSE excluded.reason_code END,
            at = CASE WHEN agent_engagements.action = excluded.action THEN agent_engagements.at ELSE excluded.at END`
        ),
      /** At most one per UTC day. */
      boost: (agentId: AgentId, targetId: AgentId, { code, domain }: Reason, atMs: number) =>
        run(sql`
        INSERT INTO agent_engagements (agent_id, target_agent_id, action, reason_domain, reason_code, at) VALUES (${agentId}, ${targetId}, 'boost', ${domain}, ${code}, ${at(atMs)})
        ON CONFLICT DO NOTHING`),
      findOnPost: (agentId: AgentId, postId: PostId) =>
        postStanding(sql`
        SELECT likes, dislikes, boosts, (SELECT kind FROM post_engagements WHERE post_id = p.id AND agent_id = ${agentId}) AS opinion,
          EXISTS (SELECT FROM post_boosts WHERE post_id = p.id AND agent_id = ${agentId}) AS boosted
        FROM posts p WHERE id = ${postId}`),
      thinkOfPost: (agentId: AgentId, postId: PostId, opinion: Opinion | null, atMs: number) =>
        Effect.orDie(
          join(
            Effect.gen(function* () {
              const before =
                (yield* postOpinion(
                  sql`SELECT kind FROM post_engagements WHERE post_id = ${postId} AND agent_id = ${agentId} FOR UPDATE`
                ))?.kind ?? null
              if (before === opinion) return
              const changed = yield* hasChanged(
                opinion === null
                  ? sql`DELETE FROM post_engagements WHERE post_id = ${postId} AND agent_id = ${agentId} RETURNING post_id`
                  : before === null
                    ? sql`INSERT INTO post_engagements (agent_id, post_id, kind, at) VALUES (${agentId}, ${postId}, ${opinion}, ${at(atMs)}) ON CONFLICT DO NOTHING RETURNING post_id`
                    : sql`UPDATE post_engagements SET kind = ${opinion}, at = ${at(atMs)} WHERE post_id = ${postId} AND agent_id = ${agentId} RETURNING post_id`
              )
              if (!changed) return
              const changeOf = (kind: Opinion) => Number(opinion === kind) - Number(before === kind)
              yield* run(
                sql`UPDATE posts SET likes = likes + ${changeOf("like")}, dislikes = dislikes + ${changeOf("dislike")} WHERE id = ${postId}`
              )
            })
          )
        ),
      boostPost: (agentId: AgentId, postId: PostId, atMs: number) =>
        Effect.orDie(
          join(
            Effect.gen(function* () {
              const isNew = yield* hasChanged(
                sql`INSERT INTO post_boosts (agent_id, post_id, at) VALUES (${agentId}, ${postId}, ${at(atMs)}) ON CONFLICT DO NOTHING RETURNING post_id`
              )
              if (isNew) yield* run(sql`UPDATE posts SET boosts = boosts + 1 WHERE id = ${postId}`)
            })
          )
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class Engagements extends Context.Service<
  Engagements,
  Pick<EngagementsWriter["Service"], "findOnAgent" | "agentCounts" | "findOnPost">
>()("longwave/engine/store/Engagements") {
  static readonly layer = Layer.effect(this, EngagementsWriter).pipe(Layer.provideMerge(EngagementsWriter.layer))
}
