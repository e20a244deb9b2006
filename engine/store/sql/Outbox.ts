import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { StationEvent } from "../../../schema/Events.ts"
import { ms, at } from "./instants.ts"
import { rows, run } from "./rows.ts"

const encode = Schema.encodeEffect(StationEvent)
const storedRows = rows(
  Schema.Struct({ id: Schema.String, position: Schema.Finite, atMs: Schema.Finite, event: StationEvent })
)

/** Durable events: written in the transaction of their change, read by the outbox's readers. */
export class Outbox extends Context.Service<Outbox>()("longwave/engine/store/Outbox", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      append: Effect.fnUntraced(function* (id: string, event: StationEvent, atMs: number) {
        const body = JSON.stringify(yield* encode(event))
        yield* run(sql`INSERT INTO outbox (id, at, event) VALUES (${id}, ${at(atMs)}, ${body}::text::jsonb)`)
      }, Effect.orDie),
      listAfter: (position: number, limit: number) =>
        storedRows(sql`
          SELECT id, position::float8 AS position, ${ms("at")} AS at_ms, event FROM outbox
          WHERE position > ${BigInt(position)} ORDER BY outbox.position LIMIT ${limit}`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
