import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import { makeId } from "../../../schema/Ids.ts"
import { StationConfig } from "../../runtime/Config.ts"
import { row, run } from "../sql/rows.ts"

const founding = row(Schema.Struct({ id: Schema.String, fence: Schema.BigInt }))
const taken = row(Schema.Struct({ fence: Schema.BigInt }))

/**
 * Who may write for the station. Each incarnation takes the next token; whoever carries an older one is refused by the
 * database itself, even if it was frozen and doesn't know yet that another one is in charge.
 */
export class FencesWriter extends Context.Service<FencesWriter>()("longwave/engine/store/FencesWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { stationSlug } = yield* StationConfig
    const station = Effect.gen(function* () {
      // One row a database: a changed slug renames the station, it doesn't found another.
      const founded = founding(sql`SELECT id, fence FROM stations`)
      const before = yield* founded
      if (before !== null) return before
      const id = makeId("stn", yield* Clock.currentTimeMillis, randomBytes(10))
      yield* run(
        sql`INSERT INTO stations (id, slug) SELECT ${id}, ${stationSlug} WHERE NOT EXISTS (SELECT 1 FROM stations) ON CONFLICT DO NOTHING`
      )
      return (yield* founded)!
    })
    // It never changes: once known, it is known while the store is away, too.
    let known: string | null = null
    return {
      /** The station's id: made once, the same for ever. */
      stationId: Effect.suspend(() =>
        known !== null ? Effect.succeed(known) : Effect.map(station, ({ id }) => (known = id))
      ),
      acquire: Effect.andThen(station, taken(sql`UPDATE stations SET fence = fence + 1 RETURNING fence`)).pipe(
        Effect.map((now) => Number(now!.fence))
      ),
      current: Effect.map(station, ({ fence }) => Number(fence))
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

/** What everybody may read there. */
export class Fences extends Context.Service<Fences, Pick<FencesWriter["Service"], "stationId" | "current">>()(
  "longwave/engine/store/Fences"
) {
  static readonly layer = Layer.effect(this, FencesWriter).pipe(Layer.provideMerge(FencesWriter.layer))
}
