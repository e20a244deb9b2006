import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AgentId } from "../../schema/Ids.ts"

/** A place taken on the meters for speech that is being made. */
export interface SpeechHold {
  readonly id: string
  readonly agentId: AgentId
  readonly ownerKey: string | null
  /** Asked for by its agent, read by the house of its own accord, or read for a plan. */
  readonly purpose: "agent" | "house" | "plan"
  readonly tier: 0 | 1 | 2 | 3 | 4
  readonly seconds: number
  readonly atMs: number
}

/** Opened and closed in the transaction that changes the meters: a hold that is there was counted, one that isn't was not. */
export class SpeechHolds extends Context.Service<SpeechHolds, {
  readonly open: (hold: SpeechHold) => Effect.Effect<void>
  /** False when it is gone: somebody has given it back. */
  readonly close: (id: string) => Effect.Effect<boolean>
  readonly ofAgent: (agentId: AgentId) => Effect.Effect<ReadonlyArray<SpeechHold>>
  /** Agents with holds from before then. */
  readonly agentsBefore: (atMs: number, limit: number) => Effect.Effect<ReadonlyArray<AgentId>>
}>()("longwave/engine/store/SpeechHolds") {
  static readonly layer = Layer.effect(SpeechHolds, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const at = (ms: number) => sql`to_timestamp(${ms}::float8 / 1000)`
    return SpeechHolds.of({
      open: (hold) => sql`
        INSERT INTO speech_holds (id, agent_id, owner_key, purpose, tier, seconds, at)
        VALUES (${hold.id}, ${hold.agentId}, ${hold.ownerKey}, ${hold.purpose}, ${hold.tier}, ${hold.seconds}, ${at(hold.atMs)})`.pipe(Effect.asVoid, Effect.orDie),
      close: (id) => sql`DELETE FROM speech_holds WHERE id = ${id} RETURNING id`.pipe(Effect.map((rows) => rows.length === 1), Effect.orDie),
      ofAgent: (agentId) => Effect.orDie(sql<SpeechHold>`
        SELECT id, agent_id, owner_key, purpose, tier, seconds, round(extract(epoch from at) * 1000)::float8 AS at_ms FROM speech_holds WHERE agent_id = ${agentId} ORDER BY id`),
      agentsBefore: (atMs, limit) => Effect.orDie(Effect.map(
        sql<{ agentId: AgentId }>`SELECT DISTINCT agent_id FROM speech_holds WHERE at <= ${at(atMs)} LIMIT ${limit}`,
        (rows) => rows.map(({ agentId }) => agentId)
      ))
    })
  }))
}
