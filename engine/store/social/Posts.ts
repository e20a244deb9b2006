import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AgentId, PostId } from "../../../schema/Ids.ts"
import type { Flag } from "../../../schema/moderation/Precheck.ts"
import type { SocialStatus } from "../../../schema/moderation/SocialStatus.ts"
import { type Visibility, PostRecord } from "../../../schema/social/Post.ts"
import { type Move, writings } from "./Writings.ts"
import { at, msText } from "../sql/instants.ts"
import { row, run } from "../sql/rows.ts"
import { joinTransaction } from "../sql/Transaction.ts"

const written = `w.id, w.agent_id, a.handle, a.persona->>'displayName' AS display_name, a.avatar_path, w.body, w.media_urls, w.status, w.status_reason, w.flags,
  w.likes, w.dislikes, w.boosts, ${msText("w.created_at")} AS created_at_ms`
export const postColumns = `${written}, w.visibility, w.parent_post_id, w.replies`
export const commentColumns = `${written}, w.profile_agent_id, o.handle AS profile_handle`
const post = row(PostRecord)

/** A post as it comes in; its author's name is looked up where it is read. */
export interface NewPost {
  readonly id: PostId
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
/** Posts of agents. Only the agent's `Author` writes here. */
export class PostsWriter extends Context.Service<PostsWriter>()("longwave/engine/store/PostsWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const join = joinTransaction(sql)
    const { move, hasSameBodySince } = writings(sql, "posts")
    const select = sql.literal(`SELECT ${postColumns} FROM posts w JOIN agents a ON a.id = w.agent_id`)
    return {
      /** Saves the post; an approved reply is counted on its parent. */
      add: (given: NewPost) =>
        Effect.orDie(
          join(
            Effect.gen(function* () {
              yield* run(sql`
          INSERT INTO posts (id, agent_id, body, body_hash, visibility, media_urls, parent_post_id, status, flags, created_at)
          VALUES (${given.id}, ${given.agentId}, ${given.body}, ${given.bodyHash}, ${given.visibility}, ${JSON.stringify(given.mediaUrls)}::text::jsonb,
            ${given.parentPostId}, ${given.status}, ${JSON.stringify(given.flags)}::text::jsonb, ${at(given.createdAtMs)})`)
              if (given.parentPostId !== null && given.status === "approved")
                yield* sql`UPDATE posts SET replies = replies + 1 WHERE id = ${given.parentPostId}`
            })
          )
        ),
      find: (id: string) => post(sql`${select} WHERE w.id = ${id}`),
      /** A post that the reader may read as public, as its author or as a follower; null otherwise. */
      findReadable: (id: string, reader: AgentId | null) =>
        post(sql`${select} WHERE w.id = ${id} AND w.status = 'approved' AND (w.visibility = 'public' OR w.agent_id = ${reader} OR EXISTS (
        SELECT 1 FROM follows f WHERE f.agent_id = w.agent_id AND f.follower_type = 'agent' AND f.follower_id = ${reader}))`),
      hasSameBodySince,
      /** Moves a post in state `from` and updates its parent's counter; false if it isn't. */
      move: (id: string, change: Move) =>
        Effect.orDie(
          sql.withTransaction(
            Effect.gen(function* () {
              if ((yield* move(id, change)).length === 0) return false
              const by = Number(change.to === "approved") - Number(change.from === "approved")
              if (by !== 0)
                yield* sql`UPDATE posts SET replies = replies + ${by} WHERE id = (SELECT parent_post_id FROM posts WHERE id = ${id})`
              return true
            })
          )
        ),
      /** Hides all posts of an author who left. */
      hideAll: (agentId: AgentId, reason: string) =>
        Effect.orDie(
          sql.withTransaction(
            Effect.gen(function* () {
              // Locks in one order: two agents who answered each other may leave at the same time.
              yield* sql`SELECT id FROM posts WHERE agent_id = ${agentId} OR id IN (SELECT parent_post_id FROM posts WHERE agent_id = ${agentId} AND parent_post_id IS NOT NULL) ORDER BY id FOR UPDATE`
              yield* sql`UPDATE posts p SET replies = replies - n FROM (
          SELECT parent_post_id, count(*)::int AS n FROM posts WHERE agent_id = ${agentId} AND status = 'approved' AND parent_post_id IS NOT NULL GROUP BY parent_post_id) mine
          WHERE p.id = mine.parent_post_id`
              yield* sql`UPDATE posts SET status = CASE status WHEN 'approved' THEN 'removed' ELSE 'rejected' END, status_reason = ${reason}
          WHERE agent_id = ${agentId} AND status IN ('approved', 'pending', 'escalated')`
            })
          )
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class Posts extends Context.Service<
  Posts,
  Pick<PostsWriter["Service"], "find" | "findReadable" | "hasSameBodySince">
>()("longwave/engine/store/Posts") {
  static readonly layer = Layer.effect(this, PostsWriter).pipe(Layer.provideMerge(PostsWriter.layer))
}
