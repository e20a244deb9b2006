import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AgentId } from "../../schema/Ids.ts"

/** Agents follow, and so do listeners. */
export type FollowerType = "agent" | "listener"

export interface Follower {
  readonly type: FollowerType
  readonly id: string
}

export interface RelationRecord {
  readonly id: AgentId
  readonly handle: string
  readonly displayName: string
  readonly avatarPath: string | null
  readonly sinceMs: number
}

export interface RelationPage {
  readonly records: ReadonlyArray<RelationRecord>
  readonly next: string | null
}

/** A cursor is a place between two rows: it holds when the row at which it was given has gone. */
const cursorOf = ({ id, sinceMs }: RelationRecord): string => `${sinceMs.toString(36)}.${id}`
const placeOf = (cursor: string) => {
  const match = /^([0-9a-z]{1,9})\.(agt_[0-9a-z]{26})$/.exec(cursor)
  return match === null ? null : { sinceMs: Number.parseInt(match[1]!, 36), id: match[2]! }
}

/** Who follows whom. */
export class Follows extends Context.Service<Follows, {
  /** Answers since when, and whether it is new: the key decides, so of many at once one is. */
  readonly add: (agentId: AgentId, follower: Follower, atMs: number) => Effect.Effect<{ readonly isNew: boolean; readonly sinceMs: number }>
  readonly since: (agentId: AgentId, follower: Follower) => Effect.Effect<number | null>
  readonly remove: (agentId: AgentId, follower: Follower) => Effect.Effect<void>
  /** What one follower follows becomes another's, who may follow some of them already. */
  readonly rename: (from: Follower, to: Follower) => Effect.Effect<void>
  readonly forget: (follower: Follower) => Effect.Effect<void>
  /** Forgets those who listened and are no more, with an account or without. */
  readonly forgetGone: Effect.Effect<void>
  /** Whom an agent follows, newest first; null for a cursor that no page has given. */
  readonly following: (agentId: AgentId, limit: number, cursor: string | null) => Effect.Effect<RelationPage | null>
  /** Which agents follow it. */
  readonly followers: (agentId: AgentId, limit: number, cursor: string | null) => Effect.Effect<RelationPage | null>
}>()("longwave/engine/store/Follows") {
  static readonly layer = Layer.effect(Follows, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const at = (ms: number) => sql`to_timestamp(${ms}::float8 / 1000)`
    const sinceMs = sql.literal("round(extract(epoch from f.created_at) * 1000)::float8 AS since_ms")
    const since: Follows["Service"]["since"] = (agentId, { id, type }) => Effect.orDie(Effect.map(
      sql<{ sinceMs: number }>`SELECT ${sinceMs} FROM follows f WHERE f.agent_id = ${agentId} AND f.follower_type = ${type} AND f.follower_id = ${id}`,
      (rows) => rows[0]?.sinceMs ?? null
    ))
    const page = Effect.fnUntraced(function*(mine: string, other: string, agentId: AgentId, limit: number, cursor: string | null) {
      const place = cursor === null ? null : placeOf(cursor)
      if (cursor !== null && place === null) return null
      const others = sql.literal(`f.${other}`)
      const rows = yield* sql<RelationRecord>`
        SELECT a.id, a.handle, a.persona->>'displayName' AS display_name, a.avatar_path, ${sinceMs} FROM follows f JOIN agents a ON a.id = ${others}
        WHERE f.follower_type = 'agent' AND ${sql.literal(`f.${mine}`)} = ${agentId} AND a.deleted_at IS NULL
          AND ${place === null ? sql`true` : sql`(f.created_at, ${others}) < (${at(place.sinceMs)}, ${place.id})`}
        ORDER BY f.created_at DESC, ${others} DESC LIMIT ${limit + 1}`
      const records = rows.slice(0, limit)
      return { records, next: rows.length > limit ? cursorOf(records.at(-1)!) : null }
    }, Effect.orDie)
    return Follows.of({
      add: Effect.fn("Follows.add")(function*(agentId, follower, atMs) {
        const rows = yield* sql`
          INSERT INTO follows (agent_id, follower_type, follower_id, created_at) VALUES (${agentId}, ${follower.type}, ${follower.id}, ${at(atMs)})
          ON CONFLICT DO NOTHING RETURNING agent_id`
        return { isNew: rows.length === 1, sinceMs: rows.length === 1 ? atMs : (yield* since(agentId, follower)) ?? atMs }
      }, Effect.orDie),
      since,
      remove: (agentId, { id, type }) => Effect.orDie(Effect.asVoid(sql`DELETE FROM follows WHERE agent_id = ${agentId} AND follower_type = ${type} AND follower_id = ${id}`)),
      rename: (from, to) => Effect.orDie(Effect.gen(function*() {
        yield* sql`
          INSERT INTO follows (agent_id, follower_type, follower_id, created_at)
          SELECT agent_id, ${to.type}, ${to.id}, created_at FROM follows WHERE follower_type = ${from.type} AND follower_id = ${from.id} ON CONFLICT DO NOTHING`
        yield* sql`DELETE FROM follows WHERE follower_type = ${from.type} AND follower_id = ${from.id}`
      })),
      forget: ({ id, type }) => Effect.orDie(Effect.asVoid(sql`DELETE FROM follows WHERE follower_type = ${type} AND follower_id = ${id}`)),
      forgetGone: Effect.orDie(Effect.asVoid(sql`
        DELETE FROM follows f WHERE f.follower_type = 'listener' AND NOT EXISTS (SELECT 1 FROM listeners WHERE id = f.follower_id) AND NOT EXISTS (SELECT 1 FROM humans WHERE id = f.follower_id)`)),
      following: (agentId, limit, cursor) => page("follower_id", "agent_id", agentId, limit, cursor),
      followers: (agentId, limit, cursor) => page("agent_id", "follower_id", agentId, limit, cursor)
    })
  }))
}
