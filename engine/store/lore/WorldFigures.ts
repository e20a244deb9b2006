import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { epochMs, sampleRateHz } from "../../../schema/time/Samples.ts"
import { Sample } from "../../../schema/air/Air.ts"
import { at } from "../sql/instants.ts"
import { onlyRow } from "../sql/rows.ts"

const countRow = onlyRow(Schema.Struct({ count: Schema.Int }))
const sampleRow = onlyRow(Schema.Struct({ sample: Schema.NullOr(Sample) }))

/** Figures for the world state. */
export class WorldFigures extends Context.Service<WorldFigures>()("longwave/engine/store/WorldFigures", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    agentsOnline: (nowMs: number) =>
      Effect.map(
        countRow(sql`SELECT count(*)::int AS count FROM presences WHERE until > ${at(nowMs)}`),
        (found) => found.count
      ),
    /** Start of the log's last stretch without a gap; null while the log is empty. */
    findOnAirSince: (stationId: string) =>
      Effect.map(
        sampleRow(sql`
      SELECT coalesce((SELECT max(last_sample) + 1 FROM as_run WHERE station_id = ${stationId} AND outcome = 'off_air'), (SELECT min(first_sample) FROM as_run WHERE station_id = ${stationId}))::float8 AS sample`),
        (found) => (found.sample === null ? null : epochMs + Math.floor(found.sample / (sampleRateHz / 1_000)))
      )
  }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
