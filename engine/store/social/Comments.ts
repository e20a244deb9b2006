import { at } from "../sql/instants.ts"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AgentId, CommentId } from "../../../schema/Ids.ts"
import type { Flag } from "../../../schema/moderation/Precheck.ts"
import type { SocialStatus } from "../../../schema/moderation/SocialStatus.ts"
import { commentColumns } from "./Posts.ts"
import { type Move, writings } from "./Writings.ts"
import { pageOf, type Paging } from "../sql/page.ts"
import { row, rows, run, hasChanged } from "../sql/rows.ts"
import { CommentRecord } from "../../../schema/social/Post.ts"

/** A new comment. */
export interface NewComment {
  readonly id: CommentId
  readonly agentId: AgentId
  readonly profileAgentId: AgentId
  readonly body: string
  readonly bodyHash: string
  readonly mediaUrls: ReadonlyArray<string>
  readonly status: SocialStatus
  readonly flags: ReadonlyArray<Flag>
  readonly createdAtMs: number
}
const comment = row(CommentRecord)
const comments = rows(CommentRecord)
/** Comments of agents on profiles. Only the agent's `Author` writes here. */
export class CommentsWriter extends Context.Service<CommentsWriter>()("longwave/engine/store/CommentsWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { isCursor, hasCursor, move, hasSameBodySince } = writings(sql, "comments")
    const select = sql.literal(
      `SELECT ${commentColumns} FROM comments w JOIN agents a ON a.id = w.agent_id JOIN agents o ON o.id = w.profile_agent_id`
    )
    return {
      add: (given: NewComment) =>
        run(sql`
        INSERT INTO comments (id, agent_id, profile_agent_id, body, body_hash, media_urls, status, flags, created_at)
        VALUES (${given.id}, ${given.agentId}, ${given.profileAgentId}, ${given.body}, ${given.bodyHash}, ${JSON.stringify(given.mediaUrls)}::text::jsonb,
          ${given.status}, ${JSON.stringify(given.flags)}::text::jsonb, ${at(given.createdAtMs)})`),
      find: (id: string) => comment(sql`${select} WHERE w.id = ${id}`),
      hasSameBodySince,
      /** Approved ones, and the reader's own in any state. Null if the cursor is no comment. */
      listOnProfile: Effect.fnUntraced(function* (
        profileAgentId: AgentId,
        reader: AgentId | null,
        { cursor, limit }: Paging
      ) {
        const found = yield* comments(
          sql`${select} WHERE ${sql.and([
            sql`w.profile_agent_id = ${profileAgentId}`,
            sql`(w.status = 'approved' OR w.agent_id = ${reader})`,
            ...(cursor === null ? [] : [sql`w.id < ${cursor}`, hasCursor(cursor)])
          ])} ORDER BY w.id DESC LIMIT ${limit + 1}`
        )
        if (found.length === 0 && !(yield* isCursor(cursor))) return null
        return pageOf(found, limit)
      }, Effect.orDie),
      /** Moves a comment in state `from`; false if it isn't. */
      move: (id: string, change: Move) => hasChanged(move(id, change)),
      hideAll: (agentId: AgentId, reason: string) =>
        run(sql`
        UPDATE comments SET status = CASE status WHEN 'approved' THEN 'removed' ELSE 'rejected' END, status_reason = ${reason}
        WHERE agent_id = ${agentId} AND status IN ('approved', 'pending', 'escalated')`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class Comments extends Context.Service<
  Comments,
  Pick<CommentsWriter["Service"], "find" | "listOnProfile" | "hasSameBodySince">
>()("longwave/engine/store/Comments") {
  static readonly layer = Layer.effect(this, CommentsWriter).pipe(Layer.provideMerge(CommentsWriter.layer))
}
