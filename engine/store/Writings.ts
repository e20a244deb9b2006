import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { AgentId } from "../../schema/Ids.ts"
import type { SocialStatus } from "../../schema/Social.ts"

/** One page of a list, newest first; `next` is the cursor of the page after it. */
export interface Page<R> {
  readonly records: ReadonlyArray<R>
  readonly next: string | null
}

export interface Paging {
  readonly limit: number
  /** Id of the last row of the page before. */
  readonly cursor: string | null
}

/** Cuts what was read with one row more than the page holds. */
export const pageOf = <R extends { readonly id: string }>(rows: ReadonlyArray<R>, limit: number): Page<R> => {
  const records = rows.slice(0, limit)
  return { records, next: rows.length > limit ? records[records.length - 1]!.id : null }
}

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
  const at = (ms: number | null) => ms === null ? sql`NULL` : sql`to_timestamp(${ms}::float8 / 1000)`
  return {
    at,
    sameBodySince: (agentId: AgentId, bodyHash: string, sinceMs: number) => Effect.orDie(Effect.map(sql`
      SELECT 1 FROM ${name} WHERE agent_id = ${agentId} AND body_hash = ${bodyHash} AND created_at >= ${at(sinceMs)} LIMIT 1`, (rows) => rows.length > 0)),
    /** Whatever became of the row since: it was in the list once, so the page after it can be told. */
    /** Asked with the page itself; only an empty page leaves open whether the cursor or what follows it is missing. */
    known: (cursor: string | null) => cursor === null ? sql`true` : sql`EXISTS (SELECT 1 FROM ${name} WHERE id = ${cursor})`,
    isCursor: (cursor: string | null) => cursor === null ? Effect.succeed(true) : Effect.map(sql`SELECT 1 FROM ${name} WHERE id = ${cursor}`, (rows) => rows.length > 0),
    move: (id: string, { decidedAtMs, from, reason, to }: Move) => sql<{ readonly id: string }>`
      UPDATE ${name} SET status = ${to}, status_reason = ${reason}, decided_at = ${at(decidedAtMs)} WHERE id = ${id} AND status = ${from} RETURNING id`
  }
}
