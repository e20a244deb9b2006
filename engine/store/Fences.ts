import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import { makeId } from "../../schema/Ids.ts"
import { StationConfig } from "../Config.ts"

/**
 * Who may write for the station. Each incarnation takes the next token; whoever carries an older one is refused by the
 * database itself, even if it was frozen and doesn't know yet that another one is in charge.
 */
export class Fences extends Context.Service<Fences, {
  /** The station's id: made once, the same for ever. */
  readonly stationId: Effect.Effect<string>
  readonly acquire: Effect.Effect<number>
  readonly current: Effect.Effect<number>
}>()("longwave/engine/store/Fences") {
  static readonly layer = Layer.effect(Fences, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { stationSlug } = yield* StationConfig
    const station = Effect.gen(function*() {
      // One row a database: a changed slug renames the station, it doesn't found another.
      const founded = Effect.map(sql<{ id: string; fence: bigint }>`SELECT id, fence FROM stations`, ([row]) => row)
      const before = yield* founded
      if (before !== undefined) return before
      const id = makeId("stn", yield* Clock.currentTimeMillis, randomBytes(10))
      yield* sql`INSERT INTO stations (id, slug) SELECT ${id}, ${stationSlug} WHERE NOT EXISTS (SELECT 1 FROM stations) ON CONFLICT DO NOTHING`
      return (yield* founded)!
    }).pipe(Effect.orDie)
    // It never changes: once known, it is known while the store is away, too.
    let known: string | null = null
    return Fences.of({
      stationId: Effect.suspend(() => known !== null ? Effect.succeed(known) : Effect.map(station, ({ id }) => known = id)),
      acquire: Effect.andThen(station, sql<{ fence: bigint }>`UPDATE stations SET fence = fence + 1 RETURNING fence`).pipe(
        Effect.map((rows) => Number(rows[0]!.fence)),
        Effect.orDie
      ),
      current: Effect.map(station, ({ fence }) => Number(fence))
    })
  }))
}
