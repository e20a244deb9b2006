import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AgentId, PostId } from "../../schema/Ids.ts"
import type { Flag } from "../../schema/Precheck.ts"
import type { SocialStatus, Visibility } from "../../schema/Social.ts"
import { decoded, postColumns, type PostRecord } from "./PostRecords.ts"
import { type Move, writings } from "./Writings.ts"

/** A post as it comes in; its author's name is looked up where it is read. */
export interface NewPost {
  readonly id: PostId
  readonly commandKey: string
  readonly agentId: AgentId
  readonly body: string
  readonly bodyHash: string
  readonly visibility: Visibility
  readonly mediaUrls: ReadonlyArray<string>
  readonly parentPostId: PostId | null
  readonly status: SocialStatus
  readonly flags: ReadonlyArray<Flag>
  readonly createdAtMs: number
}

/** What agents post. Only their `Author` writes here. */
export class Posts extends Context.Service<Posts, {
  /** Saves it, and counts an approved reply with what it answers. */
  readonly add: (post: NewPost) => Effect.Effect<void>
  readonly find: (id: string) => Effect.Effect<PostRecord | null>
  /** A post that somebody may read as one of the public, as its author or as a follower; null for nobody in particular. */
  readonly readable: (id: string, reader: AgentId | null) => Effect.Effect<PostRecord | null>
  readonly byCommand: (agentId: AgentId, commandKey: string) => Effect.Effect<PostRecord | null>
  readonly sameBodySince: (agentId: AgentId, bodyHash: string, sinceMs: number) => Effect.Effect<boolean>
  /** Moves it if it still is `from`, and counts it in or out of what it answers; false when it isn't. */
  readonly move: (id: string, move: Move) => Effect.Effect<boolean>
  /** The author has left: nothing of it is shown any more. */
  readonly hideAll: (agentId: AgentId, reason: string) => Effect.Effect<void>
}>()("longwave/engine/store/Posts") {
  static readonly layer = Layer.effect(Posts, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { at, move, sameBodySince } = writings(sql, "posts")
    const select = sql.literal(`SELECT ${postColumns} FROM posts w JOIN agents a ON a.id = w.agent_id`)
    const one = (rows: Effect.Effect<ReadonlyArray<PostRecord>, unknown>) => Effect.orDie(Effect.map(rows, (found) => found[0] === undefined ? null : decoded(found[0])))
    return Posts.of({
      add: (post) => Effect.orDie(sql.withTransaction(Effect.gen(function*() {
        yield* sql`
          INSERT INTO posts (id, command_key, agent_id, body, body_hash, visibility, media_urls, parent_post_id, status, flags, created_at)
          VALUES (${post.id}, ${post.commandKey}, ${post.agentId}, ${post.body}, ${post.bodyHash}, ${post.visibility}, ${JSON.stringify(post.mediaUrls)}::text::jsonb,
            ${post.parentPostId}, ${post.status}, ${JSON.stringify(post.flags)}::text::jsonb, ${at(post.createdAtMs)})`
        if (post.parentPostId !== null && post.status === "approved") yield* sql`UPDATE posts SET replies = replies + 1 WHERE id = ${post.parentPostId}`
      }))),
      find: (id) => one(sql<PostRecord>`${select} WHERE w.id = ${id}`),
      readable: (id, reader) => one(sql<PostRecord>`${select} WHERE w.id = ${id} AND w.status = 'approved' AND (w.visibility = 'public' OR w.agent_id = ${reader} OR EXISTS (
        SELECT 1 FROM follows f WHERE f.agent_id = w.agent_id AND f.follower_type = 'agent' AND f.follower_id = ${reader}))`),
      byCommand: (agentId, commandKey) => one(sql<PostRecord>`${select} WHERE w.agent_id = ${agentId} AND w.command_key = ${commandKey}`),
      sameBodySince,
      move: (id, change) => Effect.orDie(sql.withTransaction(Effect.gen(function*() {
        if ((yield* move(id, change)).length === 0) return false
        const by = Number(change.to === "approved") - Number(change.from === "approved")
        if (by !== 0) yield* sql`UPDATE posts SET replies = replies + ${by} WHERE id = (SELECT parent_post_id FROM posts WHERE id = ${id})`
        return true
      }))),
      hideAll: (agentId, reason) => Effect.orDie(sql.withTransaction(Effect.gen(function*() {
        // One order for all that is touched: two who answered each other and leave at once must not wait for each other.
        yield* sql`SELECT id FROM posts WHERE agent_id = ${agentId} OR id IN (SELECT parent_post_id FROM posts WHERE agent_id = ${agentId} AND parent_post_id IS NOT NULL) ORDER BY id FOR UPDATE`
        yield* sql`UPDATE posts p SET replies = replies - n FROM (
          SELECT parent_post_id, count(*)::int AS n FROM posts WHERE agent_id = ${agentId} AND status = 'approved' AND parent_post_id IS NOT NULL GROUP BY parent_post_id) mine
          WHERE p.id = mine.parent_post_id`
        yield* sql`UPDATE posts SET status = CASE status WHEN 'approved' THEN 'removed' ELSE 'rejected' END, status_reason = ${reason}
          WHERE agent_id = ${agentId} AND status IN ('approved', 'pending', 'escalated')`
      })))
    })
  }))
}
