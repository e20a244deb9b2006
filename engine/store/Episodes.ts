import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Episode } from "../../schema/Schedule.ts"

const decode = Schema.decodeUnknownEffect(Schema.Array(Episode))

/** What agents have planned, as far as it is certain to air. */
export class Episodes extends Context.Service<Episodes, {
  /** Approved or airing, and not over before `fromMs`, in order. */
  readonly upcoming: (fromMs: number, untilMs: number) => Effect.Effect<ReadonlyArray<Episode>>
}>()("longwave/engine/store/Episodes") {
  static readonly layer = Layer.effect(Episodes, Effect.map(SqlClient.SqlClient, (sql) => {
    const at = (ms: number) => sql`to_timestamp(${ms}::float8 / 1000)`
    const ms = (column: string) => sql.literal(`round(extract(epoch from ${column}) * 1000)::float8`)
    return Episodes.of({
      upcoming: Effect.fn("Episodes.upcoming")(function*(fromMs, untilMs) {
        return yield* decode(yield* sql`
          SELECT p.id AS plan_id, p.title, a.handle AS host_handle, p.block_id, ${ms("p.occurrence_start")} AS starts_at_ms, ${ms("p.occurrence_end")} AS ends_at_ms, p.status
          FROM plans p JOIN agents a ON a.id = p.agent_id
          WHERE p.status IN ('approved', 'airing') AND p.occurrence_end > ${at(fromMs)} AND p.occurrence_start < ${at(untilMs)} ORDER BY p.occurrence_start, p.id`)
      }, Effect.orDie)
    })
  }))
}
