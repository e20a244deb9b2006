import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { epochMs, sampleRateHz } from "../Limits.ts"

/** What the world of the station is told from, in figures. */
export class WorldFigures extends Context.Service<WorldFigures, {
  readonly agentsOnline: (nowMs: number) => Effect.Effect<number>
  /** Since when the log has no hole; null while it is empty. */
  readonly onAirSince: (stationId: string) => Effect.Effect<number | null>
}>()("longwave/engine/store/WorldFigures") {
  static readonly layer = Layer.effect(WorldFigures, Effect.map(SqlClient.SqlClient, (sql) => WorldFigures.of({
    agentsOnline: (nowMs) => Effect.orDie(Effect.map(sql<{ count: number }>`SELECT count(*)::int AS count FROM presences WHERE until > to_timestamp(${nowMs}::float8 / 1000)`, ([row]) => row!.count)),
    onAirSince: (stationId) => Effect.orDie(Effect.map(sql<{ sample: number | null }>`
      SELECT coalesce((SELECT max(last_sample) + 1 FROM as_run WHERE station_id = ${stationId} AND outcome = 'off_air'), (SELECT min(first_sample) FROM as_run WHERE station_id = ${stationId}))::float8 AS sample`,
      ([row]) => row!.sample === null ? null : epochMs + Math.floor(row!.sample / (sampleRateHz / 1_000))))
  })))
}
