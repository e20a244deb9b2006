import type { SocialStatus } from "../../../schema/moderation/SocialStatus.ts"
import type { SqlClient } from "effect/sql"
import { at } from "../sql/instants.ts"
import { hasRow } from "../sql/rows.ts"
import type { AgentId } from "../../../schema/Ids.ts"
import { Effect } from "effect"

/** A move of a post or comment from one state to another. */
export interface Move {
  readonly from: SocialStatus
  readonly to: SocialStatus
  readonly reason: string | null
  readonly decidedAtMs: number | null
}

/** Queries common to posts and comments. */
export const writings = (sql: SqlClient.SqlClient, table: "posts" | "comments") => {
  const name = sql.literal(table)
  return {
    hasSameBodySince: (agentId: AgentId, bodyHash: string, sinceMs: number) =>
      hasRow(sql`
      SELECT 1 FROM ${name} WHERE agent_id = ${agentId} AND body_hash = ${bodyHash} AND created_at >= ${at(sinceMs)} LIMIT 1`),
    /**
     * Whether the cursor's row exists, in any state, so that the page after it can be read. Part of the page's query; only an empty page needs a
     * second check for a missing cursor.
     */
    hasCursor: (cursor: string | null) =>
      cursor === null ? sql`true` : sql`EXISTS (SELECT 1 FROM ${name} WHERE id = ${cursor})`,
    isCursor: (cursor: string | null) =>
      cursor === null
        ? Effect.succeed(true)
        : Effect.map(sql`SELECT 1 FROM ${name} WHERE id = ${cursor}`, (rows) => rows.length > 0),
    move: (id: string, { decidedAtMs, from, reason, to }: Move) => sql`
      UPDATE ${name} SET status = ${to}, status_reason = ${reason}, decided_at = ${at(decidedAtMs)} WHERE id = ${id} AND status = ${from} RETURNING id`
  }
}
