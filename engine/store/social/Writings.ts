import type { SocialStatus } from "../../../schema/moderation/SocialStatus.ts"
import type { SqlClient } from "effect/sql"
import { at } from "../sql/instants.ts"
import type { AgentId } from "../../../schema/Ids.ts"
import { Effect } from "effect"

/** A move of a post or comment from one state to another. */
export interface Move {
  readonly from: SocialStatus
  readonly to: SocialStatus
  readonly reason: string | null
  readonly decidedAtMs: number | null
}

/** What holds for posts and comments alike. */
export const writings = (sql: SqlClient.SqlClient, table: "posts" | "comments") => {
  const name = sql.literal(table)
  return {
    sameBodySince: (agentId: AgentId, bodyHash: string, sinceMs: number) =>
      Effect.orDie(
        Effect.map(
          sql`
      SELECT 1 FROM ${name} WHERE agent_id = ${agentId} AND body_hash = ${bodyHash} AND created_at >= ${at(sinceMs)} LIMIT 1`,
          (rows) => rows.length > 0
        )
      ),
    /**
     * Whether the cursor's row was ever in the list, whatever became of it since: then the page after it can be read. Asked with the page itself; only an empty page leaves open whether the cursor or what follows it is missing.
     */
    known: (cursor: string | null) =>
      cursor === null ? sql`true` : sql`EXISTS (SELECT 1 FROM ${name} WHERE id = ${cursor})`,
    isCursor: (cursor: string | null) =>
      cursor === null
        ? Effect.succeed(true)
        : Effect.map(sql`SELECT 1 FROM ${name} WHERE id = ${cursor}`, (rows) => rows.length > 0),
    move: (id: string, { decidedAtMs, from, reason, to }: Move) => sql`
      UPDATE ${name} SET status = ${to}, status_reason = ${reason}, decided_at = ${at(decidedAtMs)} WHERE id = ${id} AND status = ${from} RETURNING id`
  }
}
