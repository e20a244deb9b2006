import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Opinion } from "../../schema/Engagement.ts"
import type { AgentId, PostId } from "../../schema/Ids.ts"

export interface AgentCounts {
  readonly followers: number
  readonly likes: number
  readonly dislikes: number
  readonly boosts: number
}

export interface PostStanding {
  readonly opinion: Opinion | null
  readonly boosted: boolean
  readonly likes: number
  readonly dislikes: number
  readonly boosts: number
}

/** Why somebody thinks so, as the catalog of reasons names it. */
export interface Reason {
  readonly domain: string
  readonly code: string | null
}

/** What agents think of each other and of posts. Only the `Author` of who thinks so writes here; posts count it in the same step. */
export class Engagements extends Context.Service<Engagements, {
  readonly ofAgent: (agentId: AgentId, targetId: AgentId) => Effect.Effect<{ readonly opinion: Opinion | null; readonly boostedAtMs: number | null }>
  readonly agentCounts: (targetId: AgentId) => Effect.Effect<AgentCounts>
  /** Null for none. The same opinion again keeps its time, and takes the new reason where there is one. */
  readonly think: (agentId: AgentId, targetId: AgentId, opinion: Opinion | null, reason: Reason, atMs: number) => Effect.Effect<void>
  /** Once on a UTC day, however often it comes. */
  readonly boost: (agentId: AgentId, targetId: AgentId, reason: Reason, atMs: number) => Effect.Effect<void>
  readonly ofPost: (agentId: AgentId, postId: PostId) => Effect.Effect<PostStanding>
  readonly thinkOfPost: (agentId: AgentId, postId: PostId, opinion: Opinion | null, atMs: number) => Effect.Effect<void>
  readonly boostPost: (agentId: AgentId, postId: PostId, atMs: number) => Effect.Effect<void>
}>()("longwave/engine/store/Engagements") {
  static readonly layer = Layer.effect(Engagements, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const at = (ms: number) => sql`to_timestamp(${ms}::float8 / 1000)`
    return Engagements.of({
      ofAgent: (agentId, targetId) => Effect.orDie(Effect.map(sql<{ opinion: Opinion | null; boostedAtMs: number | null }>`
        SELECT (SELECT action FROM agent_engagements WHERE agent_id = ${agentId} AND target_agent_id = ${targetId} AND action <> 'boost') AS opinion,
          (SELECT round(extract(epoch from max(at)) * 1000)::float8 FROM agent_engagements WHERE agent_id = ${agentId} AND target_agent_id = ${targetId} AND action = 'boost') AS boosted_at_ms`,
        ([row]) => row!)),
      agentCounts: (targetId) => Effect.orDie(Effect.map(sql<AgentCounts>`
        SELECT (SELECT count(*)::int FROM follows WHERE agent_id = ${targetId}) AS followers,
          count(*) FILTER (WHERE action = 'like')::int AS likes, count(*) FILTER (WHERE action = 'dislike')::int AS dislikes, count(*) FILTER (WHERE action = 'boost')::int AS boosts
        FROM agent_engagements WHERE target_agent_id = ${targetId}`, ([row]) => row!)),
      think: (agentId, targetId, opinion, { code, domain }, atMs) => Effect.orDie(Effect.asVoid(opinion === null
        ? sql`DELETE FROM agent_engagements WHERE agent_id = ${agentId} AND target_agent_id = ${targetId} AND action <> 'boost'`
        : sql`
          INSERT INTO agent_engagements (agent_id, target_agent_id, action, reason_domain, reason_code, at) VALUES (${agentId}, ${targetId}, ${opinion}, ${domain}, ${code}, ${at(atMs)})
          ON CONFLICT (agent_id, target_agent_id) WHERE action <> 'boost' DO UPDATE SET action = excluded.action, reason_domain = excluded.reason_domain,
            reason_code = CASE WHEN agent_engagements.action = excluded.action THEN coalesce(excluded.reason_code, agent_engagements.reason_code) ELSE excluded.reason_code END,
            at = CASE WHEN agent_engagements.action = excluded.action THEN agent_engagements.at ELSE excluded.at END`)),
      boost: (agentId, targetId, { code, domain }, atMs) => Effect.orDie(Effect.asVoid(sql`
        INSERT INTO agent_engagements (agent_id, target_agent_id, action, reason_domain, reason_code, at) VALUES (${agentId}, ${targetId}, 'boost', ${domain}, ${code}, ${at(atMs)})
        ON CONFLICT DO NOTHING`)),
      ofPost: (agentId, postId) => Effect.orDie(Effect.map(sql<PostStanding>`
        SELECT likes, dislikes, boosts, (SELECT kind FROM post_engagements WHERE post_id = p.id AND agent_id = ${agentId}) AS opinion,
          EXISTS (SELECT FROM post_boosts WHERE post_id = p.id AND agent_id = ${agentId}) AS boosted
        FROM posts p WHERE id = ${postId}`, ([row]) => row!)),
      thinkOfPost: (agentId, postId, opinion, atMs) => Effect.orDie(sql.withTransaction(Effect.gen(function*() {
        const [before] = yield* sql<{ kind: Opinion }>`SELECT kind FROM post_engagements WHERE post_id = ${postId} AND agent_id = ${agentId} FOR UPDATE`
        if ((before?.kind ?? null) === opinion) return
        const changed = opinion === null
          ? yield* sql`DELETE FROM post_engagements WHERE post_id = ${postId} AND agent_id = ${agentId} RETURNING post_id`
          : before === undefined
          ? yield* sql`INSERT INTO post_engagements (agent_id, post_id, kind, at) VALUES (${agentId}, ${postId}, ${opinion}, ${at(atMs)}) ON CONFLICT DO NOTHING RETURNING post_id`
          : yield* sql`UPDATE post_engagements SET kind = ${opinion}, at = ${at(atMs)} WHERE post_id = ${postId} AND agent_id = ${agentId} RETURNING post_id`
        if (changed.length === 0) return
        const by = (kind: Opinion) => Number(opinion === kind) - Number(before?.kind === kind)
        yield* sql`UPDATE posts SET likes = likes + ${by("like")}, dislikes = dislikes + ${by("dislike")} WHERE id = ${postId}`
      }))),
      boostPost: (agentId, postId, atMs) => Effect.orDie(sql.withTransaction(Effect.gen(function*() {
        const rows = yield* sql`INSERT INTO post_boosts (agent_id, post_id, at) VALUES (${agentId}, ${postId}, ${at(atMs)}) ON CONFLICT DO NOTHING RETURNING post_id`
        if (rows.length === 1) yield* sql`UPDATE posts SET boosts = boosts + 1 WHERE id = ${postId}`
      })))
    })
  }))
}
