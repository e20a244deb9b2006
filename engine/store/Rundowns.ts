import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { FenceLost, Rundown } from "../../schema/Rundown.ts"

const encode = Schema.encodeEffect(Rundown)
const decode = Schema.decodeUnknownEffect(Rundown)

/** What is on the air and what comes next, as it was last saved. */
export class Rundowns extends Context.Service<Rundowns, {
  readonly load: (stationId: string) => Effect.Effect<Rundown | null>
  /** Refused once another incarnation, with a higher fence, has written. */
  readonly save: (rundown: Rundown, fence: number) => Effect.Effect<void, FenceLost>
}>()("longwave/engine/store/Rundowns") {
  static readonly layer = Layer.effect(Rundowns, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    return Rundowns.of({
      load: Effect.fn("Rundowns.load")(function*(stationId) {
        const rows = yield* sql<{ body: unknown }>`SELECT body FROM rundowns WHERE station_id = ${stationId}`
        return rows[0] === undefined ? null : yield* decode(rows[0].body)
      }, Effect.orDie),
      save: Effect.fn("Rundowns.save")(function*(rundown, fence) {
        const body = JSON.stringify(yield* Effect.orDie(encode(rundown)))
        const rows = yield* Effect.orDie(sql`
          INSERT INTO rundowns (station_id, fence, revision, body)
          SELECT ${rundown.stationId}, ${fence}::bigint, ${rundown.revision}::bigint, ${body}::jsonb
          WHERE NOT EXISTS (SELECT 1 FROM stations WHERE id = ${rundown.stationId} AND fence > ${fence}::bigint)
          ON CONFLICT (station_id) DO UPDATE SET fence = excluded.fence, revision = excluded.revision, body = excluded.body, updated_at = now()
          WHERE rundowns.fence <= excluded.fence RETURNING station_id`)
        if (rows.length === 0) return yield* new FenceLost({ fence })
      })
    })
  }))
}
