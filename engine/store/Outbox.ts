import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { StationEvent } from "../../schema/Events.ts"

const encode = Schema.encodeEffect(StationEvent)
const decode = Schema.decodeUnknownEffect(StationEvent)

export interface StoredEvent {
  readonly id: string
  readonly position: number
  readonly atMs: number
  readonly event: StationEvent
}

/** Events that must not be lost: written in the transaction of the change they tell of, read by whoever passes them on. */
export class Outbox extends Context.Service<Outbox, {
  readonly append: (id: string, event: StationEvent, atMs: number) => Effect.Effect<void>
  readonly after: (position: number, limit: number) => Effect.Effect<ReadonlyArray<StoredEvent>>
}>()("longwave/engine/store/Outbox") {
  static readonly layer = Layer.effect(Outbox, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    return Outbox.of({
      append: Effect.fn("Outbox.append")(function*(id, event, atMs) {
        const body = JSON.stringify(yield* encode(event))
        yield* sql`INSERT INTO outbox (id, at, event) VALUES (${id}, to_timestamp(${atMs}::float8 / 1000), ${body}::text::jsonb)`
      }, Effect.orDie),
      after: Effect.fn("Outbox.after")(function*(position, limit) {
        const rows = yield* sql<{ id: string; position: number; atMs: number; event: unknown }>`
          SELECT id, position::float8 AS position, round(extract(epoch from at) * 1000)::float8 AS at_ms, event FROM outbox
          WHERE position > ${BigInt(position)} ORDER BY outbox.position LIMIT ${limit}`
        return yield* Effect.forEach(rows, (row) => Effect.map(decode(row.event), (event) => ({ ...row, event })))
      }, Effect.orDie)
    })
  }))
}
