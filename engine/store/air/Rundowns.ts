import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { FenceLost, Rundown } from "../../../schema/air/Rundown.ts"
import { fenced, isAirOwner } from "../sql/fenced.ts"
import { row, hasChanged } from "../sql/rows.ts"

const encode = Schema.encodeEffect(Rundown)
const savedRow = row(Schema.Struct({ body: Rundown }))

/** The last saved rundown with the item on air. */
export class RundownsWriter extends Context.Service<RundownsWriter>()("longwave/engine/store/RundownsWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      load: (stationId: string) =>
        Effect.map(
          savedRow(sql`SELECT body FROM rundowns WHERE station_id = ${stationId}`),
          (found) => found?.body ?? null
        ),
      /** Fails once an incarnation with a higher fence has written. */
      save: Effect.fnUntraced(function* (rundown: Rundown, fence: number): Effect.fn.Return<void, FenceLost> {
        const body = JSON.stringify(yield* Effect.orDie(encode(rundown)))
        const isSaved = yield* hasChanged(sql`
          INSERT INTO rundowns (station_id, fence, revision, body)
          SELECT ${rundown.stationId}, ${fence}::bigint, ${rundown.revision}::bigint, ${body}::jsonb
          WHERE ${isAirOwner(fence)}
          ON CONFLICT (station_id) DO UPDATE SET fence = excluded.fence, revision = excluded.revision, body = excluded.body, updated_at = now()
          WHERE ${fenced(fence, "rundowns.fence")} RETURNING station_id`)
        if (!isSaved) return yield* new FenceLost({ fence })
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class Rundowns extends Context.Service<Rundowns, Pick<RundownsWriter["Service"], "load">>()(
  "longwave/engine/store/Rundowns"
) {
  static readonly layer = Layer.effect(this, RundownsWriter).pipe(Layer.provideMerge(RundownsWriter.layer))
}
