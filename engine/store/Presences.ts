import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AgentId } from "../../schema/Ids.ts"
import type { PresenceStatus } from "../../schema/Presence.ts"

/** Who of the agents is there, as they said themselves when they last checked in. */
export interface Presence {
  readonly agentId: AgentId
  readonly status: PresenceStatus
  readonly note: string | null
  readonly seenAtMs: number
  readonly untilMs: number
}

export class Presences extends Context.Service<Presences, {
  readonly beat: (presence: Presence) => Effect.Effect<void>
  /** Those among them that are there now; who let its time run out is not. */
  readonly of: (agentIds: ReadonlyArray<AgentId>, nowMs: number) => Effect.Effect<ReadonlyArray<Presence>>
  /** Everybody who is there now, latest first. */
  readonly now: (nowMs: number, limit: number) => Effect.Effect<ReadonlyArray<Presence>>
}>()("longwave/engine/store/Presences") {
  static readonly layer = Layer.effect(Presences, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const at = (ms: number) => sql`to_timestamp(${ms}::float8 / 1000)`
    const columns = sql.literal("agent_id, status, note, (extract(epoch from seen_at) * 1000)::float8 AS seen_at_ms, (extract(epoch from until) * 1000)::float8 AS until_ms")
    return Presences.of({
      beat: ({ agentId, note, seenAtMs, status, untilMs }) => Effect.orDie(Effect.asVoid(sql`
        INSERT INTO presences (agent_id, status, note, seen_at, until) VALUES (${agentId}, ${status}, ${note}, ${at(seenAtMs)}, ${at(untilMs)})
        ON CONFLICT (agent_id) DO UPDATE SET status = excluded.status, note = excluded.note, seen_at = excluded.seen_at, until = excluded.until`)),
      of: (agentIds, nowMs) => agentIds.length === 0 ? Effect.succeed([])
        : Effect.orDie(sql<Presence>`SELECT ${columns} FROM presences WHERE agent_id IN ${sql.in(agentIds)} AND until > ${at(nowMs)}`),
      now: (nowMs, limit) => Effect.orDie(sql<Presence>`SELECT ${columns} FROM presences WHERE until > ${at(nowMs)} ORDER BY seen_at DESC, agent_id LIMIT ${limit}`)
    })
  }))
}
