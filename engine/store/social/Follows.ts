import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { purgeRows } from "../../rules/runtime/limits.ts"
import { AgentId } from "../../../schema/Ids.ts"
import { at, msText } from "../sql/instants.ts"
import { countChanged, row, rows, run, hasChanged } from "../sql/rows.ts"

/** Followers are agents or listeners. */
export type FollowerType = "agent" | "listener"

export interface Follower {
  readonly type: FollowerType
  readonly id: string
}

const RelationRecord = Schema.Struct({
  id: AgentId,
  handle: Schema.String,
  displayName: Schema.String,
  avatarPath: Schema.NullOr(Schema.String),
  sinceMs: Schema.Finite
})
export type RelationRecord = typeof RelationRecord.Type

const relations = rows(RelationRecord)
const relationSince = row(Schema.Struct({ sinceMs: Schema.Finite }))

export interface RelationPage {
  readonly records: ReadonlyArray<RelationRecord>
  readonly next: string | null
}

/** A cursor is a position between two rows, so it stays valid when its row is deleted. */
const cursorOf = ({ id, sinceMs }: RelationRecord): string => `${sinceMs.toString(36)}.${id}`
const placeOf = (cursor: string) => {
  const match = /^([0-9a-z]{1,9})\.(agt_[0-9a-z]{26})$/.exec(cursor)
  return match === null ? null : { sinceMs: Number.parseInt(match[1]!, 36), id: match[2]! }
}

/** Follows of agents. */
export class FollowsWriter extends Context.Service<FollowsWriter>()("longwave/engine/store/FollowsWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const sinceMs = sql.literal(`${msText("f.created_at")} AS since_ms`)
    const findSince = (agentId: AgentId, { id, type }: Follower) =>
      Effect.map(
        relationSince(
          sql`SELECT ${sinceMs} FROM follows f WHERE f.agent_id = ${agentId} AND f.follower_type = ${type} AND f.follower_id = ${id}`
        ),
        (found) => found?.sinceMs ?? null
      )
    const page = Effect.fnUntraced(function* (
      mine: string,
      other: string,
      agentId: AgentId,
      limit: number,
      cursor: string | null
    ) {
      const place = cursor === null ? null : placeOf(cursor)
      if (cursor !== null && place === null) return null
      const others = sql.literal(`f.${other}`)
      const found = yield* relations(sql`
        SELECT a.id, a.handle, a.persona->>'displayName' AS display_name, a.avatar_path, ${sinceMs} FROM follows f JOIN agents a ON a.id = ${others}
        WHERE f.follower_type = 'agent' AND ${sql.literal(`f.${mine}`)} = ${agentId} AND a.deleted_at IS NULL
          AND ${place === null ? sql`true` : sql`(f.created_at, ${others}) < (${at(place.sinceMs)}, ${place.id})`}
        ORDER BY f.created_at DESC, ${others} DESC LIMIT ${limit + 1}`)
      const records = found.slice(0, limit)
      return { records, next: found.length > limit ? cursorOf(records.at(-1)!) : null }
    })
    return {
      /** Returns the start of the follow and whether it is new. The primary key decides races. */
      add: Effect.fnUntraced(function* (agentId: AgentId, follower: Follower, atMs: number) {
        const isNew = yield* hasChanged(sql`
          INSERT INTO follows (agent_id, follower_type, follower_id, created_at) VALUES (${agentId}, ${follower.type}, ${follower.id}, ${at(atMs)})
          ON CONFLICT DO NOTHING RETURNING agent_id`)
        return { isNew, sinceMs: isNew ? atMs : ((yield* findSince(agentId, follower)) ?? atMs) }
      }),
      findSince,
      remove: (agentId: AgentId, { id, type }: Follower) =>
        run(sql`DELETE FROM follows WHERE agent_id = ${agentId} AND follower_type = ${type} AND follower_id = ${id}`),
      /** Moves one follower's follows to another, who may have some of them already. */
      rename: Effect.fnUntraced(function* (from: Follower, to: Follower) {
        yield* run(sql`
          INSERT INTO follows (agent_id, follower_type, follower_id, created_at)
          SELECT agent_id, ${to.type}, ${to.id}, created_at FROM follows WHERE follower_type = ${from.type} AND follower_id = ${from.id} ON CONFLICT DO NOTHING`)
        yield* run(sql`DELETE FROM follows WHERE follower_type = ${from.type} AND follower_id = ${from.id}`)
      }),
      forget: ({ id, type }: Follower) =>
        run(sql`DELETE FROM follows WHERE follower_type = ${type} AND follower_id = ${id}`),
      /** Deletes the follows of listeners that no longer exist, with an account or without. */
      forgetGone: countChanged(sql`
        DELETE FROM follows WHERE ctid = ANY(ARRAY(
          SELECT f.ctid FROM follows f WHERE f.follower_type = 'listener' AND NOT EXISTS (SELECT 1 FROM listeners WHERE id = f.follower_id)
            AND NOT EXISTS (SELECT 1 FROM humans WHERE id = f.follower_id) LIMIT ${purgeRows}
        )) RETURNING 1`),
      /** Agents followed by an agent, newest first; null if the cursor is unknown. */
      listFollowing: (agentId: AgentId, limit: number, cursor: string | null) =>
        page("follower_id", "agent_id", agentId, limit, cursor),
      /** Agents that follow it. */
      listFollowers: (agentId: AgentId, limit: number, cursor: string | null) =>
        page("agent_id", "follower_id", agentId, limit, cursor)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class Follows extends Context.Service<
  Follows,
  Pick<FollowsWriter["Service"], "findSince" | "listFollowing" | "listFollowers">
>()("longwave/engine/store/Follows") {
  static readonly layer = Layer.effect(this, FollowsWriter).pipe(Layer.provideMerge(FollowsWriter.layer))
}
