import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import { makeId } from "../../../schema/Ids.ts"
import { FenceLost } from "../../../schema/air/Rundown.ts"
import { clusterOf, StationConfig } from "../../runtime/Config.ts"
import { row, run } from "../sql/rows.ts"

const foundingRow = row(Schema.Struct({ id: Schema.String, fence: Schema.Finite }))
const takenRow = row(Schema.Struct({ fence: Schema.Finite }))
const heldRow = row(Schema.Struct({ heldSince: Schema.NullOr(Schema.Finite) }))

/**
 * Fencing tokens of the air. Each incarnation of the station takes the next token. The database refuses writes with an older one, also from a process
 * that froze and missed its replacement.
 */
export class FencesWriter extends Context.Service<FencesWriter>()("longwave/engine/store/FencesWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const config = yield* StationConfig
    const { stationSlug } = config
    const cluster = clusterOf(config)
    const mayHold = cluster === null ? sql`true` : sql`air_owner = ${cluster.name} AND air_until > now()`
    const station = Effect.gen(function* () {
      // One row per database: a changed slug renames the station, it doesn't create another.
      const founded = foundingRow(sql`SELECT id, fence::float8 AS fence FROM stations`)
      const before = yield* founded
      if (before !== null) return before
      const id = makeId("stn", yield* Clock.currentTimeMillis, randomBytes(10))
      yield* run(
        sql`INSERT INTO stations (id, slug) SELECT ${id}, ${stationSlug} WHERE NOT EXISTS (SELECT 1 FROM stations) ON CONFLICT DO NOTHING`
      )
      return (yield* founded)!
    })
    // The id never changes, so it is cached and known while the store is unavailable.
    let known: string | null = null
    return {
      /** The station's permanent id. */
      stationId: Effect.suspend(() =>
        known !== null ? Effect.succeed(known) : Effect.map(station, ({ id }) => (known = id))
      ),
      /** Takes the next token. Fails with FenceLost in one of several processes that has no lease of the air. */
      acquire: Effect.gen(function* () {
        const { fence } = yield* station
        const taken = yield* takenRow(
          sql`UPDATE stations SET fence = fence + 1 WHERE ${mayHold} RETURNING fence::float8 AS fence`
        )
        return taken === null ? yield* new FenceLost({ fence }) : taken.fence
      }),
      /** First token since which no other process has had the air. Null for a station of one process, and if none is known to have had it. */
      heldSince:
        cluster === null
          ? Effect.succeed(null)
          : Effect.map(
              heldRow(
                sql`SELECT air_taken_fence::float8 AS held_since FROM stations WHERE air_taker = ${cluster.name}`
              ),
              (found) => found?.heldSince ?? null
            ),
      current: Effect.map(station, ({ fence }) => fence)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class Fences extends Context.Service<Fences, Pick<FencesWriter["Service"], "stationId" | "current">>()(
  "longwave/engine/store/Fences"
) {
  static readonly layer = Layer.effect(this, FencesWriter).pipe(Layer.provideMerge(FencesWriter.layer))
}
