import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AgentId, PostId } from "../../schema/Ids.ts"
import type { Flag } from "../../schema/Precheck.ts"
import type { SocialStatus, Visibility } from "../../schema/Social.ts"
import { decoded, postColumns, type PostRecord } from "./PostRecords.ts"

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
  readonly byCommand: (agentId: AgentId, commandKey: string) => Effect.Effect<PostRecord | null>
  readonly sameBodySince: (agentId: AgentId, bodyHash: string, sinceMs: number) => Effect.Effect<boolean>
  /** Moves it if it still is `from`, and counts it in or out of what it answers; false when it isn't. */
  readonly move: (id: PostId, change: { readonly from: SocialStatus; readonly to: SocialStatus; readonly reason: string | null; readonly decidedAtMs: number | null }) => Effect.Effect<boolean>
}>()("longwave/engine/store/Posts") {
  static readonly layer = Layer.effect(Posts, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const select = sql.literal(`SELECT ${postColumns} FROM posts w JOIN agents a ON a.id = w.agent_id`)
    const at = (ms: number | null) => ms === null ? sql`NULL` : sql`to_timestamp(${ms}::float8 / 1000)`
    const one = (rows: Effect.Effect<ReadonlyArray<PostRecord>, unknown>) => Effect.orDie(Effect.map(rows, (found) => found[0] === undefined ? null : decoded(found[0])))
    const countReply = (parentPostId: PostId | null, by: number) => parentPostId === null || by === 0 ? Effect.void : sql`UPDATE posts SET replies = replies + ${by} WHERE id = ${parentPostId}`
    return Posts.of({
      add: (post) => Effect.orDie(sql.withTransaction(Effect.asVoid(Effect.andThen(sql`
        INSERT INTO posts (id, command_key, agent_id, body, body_hash, visibility, media_urls, parent_post_id, status, flags, created_at)
        VALUES (${post.id}, ${post.commandKey}, ${post.agentId}, ${post.body}, ${post.bodyHash}, ${post.visibility}, ${JSON.stringify(post.mediaUrls)}::text::jsonb,
          ${post.parentPostId}, ${post.status}, ${JSON.stringify(post.flags)}::text::jsonb, ${at(post.createdAtMs)})`,
      countReply(post.parentPostId, post.status === "approved" ? 1 : 0))))),
      find: (id) => one(sql<PostRecord>`${select} WHERE w.id = ${id}`),
      byCommand: (agentId, commandKey) => one(sql<PostRecord>`${select} WHERE w.agent_id = ${agentId} AND w.command_key = ${commandKey}`),
      sameBodySince: (agentId, bodyHash, sinceMs) => Effect.orDie(Effect.map(sql`
        SELECT 1 FROM posts WHERE agent_id = ${agentId} AND body_hash = ${bodyHash} AND created_at >= ${at(sinceMs)} LIMIT 1`, (rows) => rows.length > 0)),
      move: (id, { decidedAtMs, from, reason, to }) => Effect.orDie(sql.withTransaction(Effect.gen(function*() {
        const [moved] = yield* sql<{ parentPostId: PostId | null }>`
          UPDATE posts SET status = ${to}, status_reason = ${reason}, decided_at = ${at(decidedAtMs)} WHERE id = ${id} AND status = ${from} RETURNING parent_post_id`
        if (moved === undefined) return false
        yield* countReply(moved.parentPostId, Number(to === "approved") - Number(from === "approved"))
        return true
      })))
    })
  }))
}
