import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { StationEvent } from "../../schema/Events.ts"
import { outboxNumberedMax } from "../Limits.ts"

const decode = Schema.decodeUnknownOption(StationEvent)

/** An event as a reader meets it. `event` is null where this version of the station can't read it. */
export interface ReadEvent {
  readonly id: string
  readonly sequence: number
  readonly atMs: number
  readonly kind: string
  readonly event: StationEvent | null
}

/** Any number that no other lock of the station uses: one numbers at a time, so that numbers appear in their order. */
const numberingLock = 7_120_052

/** How far each reader of the outbox has come. */
export class OutboxReaders extends Context.Service<OutboxReaders, {
  /** Gives what has been committed since its place in the order. Answers how many. */
  readonly number: Effect.Effect<number>
  /** Where a reader stands, and nobody else moves it while the transaction lasts. */
  readonly hold: (name: string) => Effect.Effect<number>
  readonly following: (sequence: number, limit: number) => Effect.Effect<ReadonlyArray<ReadEvent>>
  readonly save: (name: string, sequence: number) => Effect.Effect<void>
}>()("longwave/engine/store/OutboxReaders") {
  static readonly layer = Layer.effect(OutboxReaders, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const number = Effect.gen(function*() {
      yield* sql`SELECT pg_advisory_xact_lock(${numberingLock}::int)`
      // A statement of its own: it must see what was committed while the lock was waited for.
      const numbered = yield* sql`
        UPDATE outbox SET sequence = numbered.sequence FROM (
          SELECT position, nextval('outbox_sequence') AS sequence FROM (SELECT position FROM outbox WHERE sequence IS NULL ORDER BY position LIMIT ${outboxNumberedMax}) AS waiting
        ) AS numbered WHERE outbox.position = numbered.position RETURNING outbox.position`
      return numbered.length
    })
    return OutboxReaders.of({
      number: Effect.orDie(sql.withTransaction(number)),
      hold: Effect.fn("OutboxReaders.hold")(function*(name) {
        yield* sql`INSERT INTO outbox_readers (name) VALUES (${name}) ON CONFLICT (name) DO NOTHING`
        const rows = yield* sql<{ sequence: number }>`SELECT sequence::float8 AS sequence FROM outbox_readers WHERE name = ${name} FOR UPDATE`
        return rows[0]!.sequence
      }, Effect.orDie),
      following: Effect.fn("OutboxReaders.following")(function*(sequence, limit) {
        const rows = yield* sql<{ id: string; sequence: number; atMs: number; event: { readonly _tag?: unknown } }>`
          SELECT id, sequence::float8 AS sequence, round(extract(epoch from at) * 1000)::float8 AS at_ms, event FROM outbox
          WHERE outbox.sequence > ${BigInt(sequence)} ORDER BY outbox.sequence LIMIT ${limit}`
        return rows.map((row) => ({ ...row, kind: String(row.event._tag), event: Option.getOrNull(decode(row.event)) }))
      }, Effect.orDie),
      save: (name, sequence) => Effect.orDie(Effect.asVoid(sql`UPDATE outbox_readers SET sequence = ${BigInt(sequence)} WHERE name = ${name}`))
    })
  }))
}
