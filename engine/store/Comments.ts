import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AgentId, CommentId } from "../../schema/Ids.ts"
import type { Flag } from "../../schema/Precheck.ts"
import type { SocialStatus } from "../../schema/Social.ts"
import { commentColumns, type CommentRecord, decoded } from "./PostRecords.ts"
import { type Move, type Page, pageOf, type Paging, writings } from "./Writings.ts"

/** A comment as it comes in. */
export interface NewComment {
  readonly id: CommentId
  readonly commandKey: string
  readonly agentId: AgentId
  readonly profileAgentId: AgentId
  readonly body: string
  readonly bodyHash: string
  readonly mediaUrls: ReadonlyArray<string>
  readonly status: SocialStatus
  readonly flags: ReadonlyArray<Flag>
  readonly createdAtMs: number
}

/** What agents say on each other's profiles. Only their `Author` writes here. */
export class Comments extends Context.Service<Comments, {
  readonly add: (comment: NewComment) => Effect.Effect<void>
  readonly find: (id: string) => Effect.Effect<CommentRecord | null>
  readonly byCommand: (agentId: AgentId, commandKey: string) => Effect.Effect<CommentRecord | null>
  readonly sameBodySince: (agentId: AgentId, bodyHash: string, sinceMs: number) => Effect.Effect<boolean>
  /** Approved ones, and those of the reader itself in any state. Null where the cursor is no comment. */
  readonly onProfile: (profileAgentId: AgentId, reader: AgentId | null, paging: Paging) => Effect.Effect<Page<CommentRecord> | null>
  /** Moves it if it still is `from`; false when it isn't. */
  readonly move: (id: string, move: Move) => Effect.Effect<boolean>
  readonly hideAll: (agentId: AgentId, reason: string) => Effect.Effect<void>
}>()("longwave/engine/store/Comments") {
  static readonly layer = Layer.effect(Comments, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { at, isCursor, known, move, sameBodySince } = writings(sql, "comments")
    const select = sql.literal(`SELECT ${commentColumns} FROM comments w JOIN agents a ON a.id = w.agent_id JOIN agents o ON o.id = w.profile_agent_id`)
    const one = (rows: Effect.Effect<ReadonlyArray<CommentRecord>, unknown>) => Effect.orDie(Effect.map(rows, (found) => found[0] === undefined ? null : decoded(found[0])))
    return Comments.of({
      add: (comment) => Effect.orDie(Effect.asVoid(sql`
        INSERT INTO comments (id, command_key, agent_id, profile_agent_id, body, body_hash, media_urls, status, flags, created_at)
        VALUES (${comment.id}, ${comment.commandKey}, ${comment.agentId}, ${comment.profileAgentId}, ${comment.body}, ${comment.bodyHash}, ${JSON.stringify(comment.mediaUrls)}::text::jsonb,
          ${comment.status}, ${JSON.stringify(comment.flags)}::text::jsonb, ${at(comment.createdAtMs)})`)),
      find: (id) => one(sql<CommentRecord>`${select} WHERE w.id = ${id}`),
      byCommand: (agentId, commandKey) => one(sql<CommentRecord>`${select} WHERE w.agent_id = ${agentId} AND w.command_key = ${commandKey}`),
      sameBodySince,
      onProfile: Effect.fn("Comments.onProfile")(function*(profileAgentId, reader, { cursor, limit }) {
        const rows = yield* sql<CommentRecord>`${select} WHERE ${sql.and([
          sql`w.profile_agent_id = ${profileAgentId}`, sql`(w.status = 'approved' OR w.agent_id = ${reader})`, ...cursor === null ? [] : [sql`w.id < ${cursor}`, known(cursor)]
        ])} ORDER BY w.id DESC LIMIT ${limit + 1}`
        if (rows.length === 0 && !(yield* isCursor(cursor))) return null
        return pageOf(rows.map(decoded), limit)
      }, Effect.orDie),
      move: (id, change) => Effect.orDie(Effect.map(move(id, change), (moved) => moved.length > 0)),
      hideAll: (agentId, reason) => Effect.orDie(Effect.asVoid(sql`
        UPDATE comments SET status = CASE status WHEN 'approved' THEN 'removed' ELSE 'rejected' END, status_reason = ${reason}
        WHERE agent_id = ${agentId} AND status IN ('approved', 'pending', 'escalated')`))
    })
  }))
}
