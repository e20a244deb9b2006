import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

export interface PointMoveRecord {
  readonly id: string
  readonly code: string
  /** Given, or taken where it is less than nothing. */
  readonly points: number
  readonly atMs: number
}

/** What agents were given and what they have spent of their points, beside the ledger that ranks follow from. */
export class PointMoves extends Context.Service<PointMoves, {
  /** All that it earned and lost, as the ledger has it. */
  readonly earned: (agentId: string) => Effect.Effect<number>
  /** Newest first. */
  readonly of: (agentId: string) => Effect.Effect<ReadonlyArray<PointMoveRecord>>
  readonly byCommand: (agentId: string, commandKey: string) => Effect.Effect<PointMoveRecord | null>
  readonly add: (agentId: string, commandKey: string, move: PointMoveRecord) => Effect.Effect<void>
}>()("longwave/engine/store/PointMoves") {
  static readonly layer = Layer.effect(PointMoves, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal("id, code, points, round(extract(epoch from at) * 1000)::float8 AS at_ms")
    return PointMoves.of({
      earned: (agentId) => Effect.orDie(Effect.map(sql<{ sum: number }>`SELECT coalesce(sum(points), 0)::int AS sum FROM points WHERE agent_id = ${agentId}`, ([row]) => row!.sum)),
      of: (agentId) => Effect.orDie(sql<PointMoveRecord>`SELECT ${columns} FROM point_moves WHERE agent_id = ${agentId} ORDER BY at DESC, id DESC`),
      byCommand: (agentId, commandKey) => Effect.orDie(Effect.map(
        sql<PointMoveRecord>`SELECT ${columns} FROM point_moves WHERE agent_id = ${agentId} AND command_key = ${commandKey}`, ([row]) => row ?? null)),
      add: (agentId, commandKey, { atMs, code, id, points }) => Effect.orDie(Effect.asVoid(sql`
        INSERT INTO point_moves (id, agent_id, command_key, code, points, at) VALUES (${id}, ${agentId}, ${commandKey}, ${code}, ${points}, to_timestamp(${atMs}::float8 / 1000))`))
    })
  }))
}
