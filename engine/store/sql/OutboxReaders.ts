import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { StationEvent } from "../../../schema/Events.ts"
import { outboxNumberedMax } from "../../rules/runtime/limits.ts"
import { ms } from "./instants.ts"
import { onlyRow, rows, run } from "./rows.ts"

const decode = Schema.decodeUnknownOption(StationEvent)

/** An event as a reader meets it. `event` is null where this version of the station can't read it. */
export interface ReadEvent {
  readonly id: string
  readonly sequence: number
  readonly atMs: number
  readonly kind: string
  readonly event: StationEvent | null
}

const standing = onlyRow(Schema.Struct({ sequence: Schema.Finite }))
/** The event is decoded by itself: one of another version must not keep the others from being read. */
const numbered = rows(
  Schema.Struct({
    id: Schema.String,
    sequence: Schema.Finite,
    atMs: Schema.Finite,
    event: Schema.Record(Schema.String, Schema.Unknown)
  })
)

/** Any number that no other lock of the station uses: one numbers at a time, so that numbers appear in their order. */
const numberingLock = 7_120_052

/** How far each reader of the outbox has come. */
export class OutboxReaders extends Context.Service<OutboxReaders>()("longwave/engine/store/OutboxReaders", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const number = Effect.gen(function* () {
      yield* sql`SELECT pg_advisory_xact_lock(${numberingLock}::int)`
      // A statement of its own: it must see what was committed while the lock was waited for.
      const given = yield* sql`
        UPDATE outbox SET sequence = numbered.sequence FROM (
          SELECT position, nextval('outbox_sequence') AS sequence FROM (SELECT position FROM outbox WHERE sequence IS NULL ORDER BY position LIMIT ${outboxNumberedMax}) AS waiting
        ) AS numbered WHERE outbox.position = numbered.position RETURNING outbox.position`
      return given.length
    })
    return {
      /** Gives what has been committed since its place in the order. Answers how many. */
      number: Effect.orDie(sql.withTransaction(number)),
      /** Where a reader stands, and nobody else moves it while the transaction lasts. */
      hold: Effect.fn("OutboxReaders.hold")(function* (name: string) {
        yield* run(sql`INSERT INTO outbox_readers (name) VALUES (${name}) ON CONFLICT (name) DO NOTHING`)
        const found = yield* standing(
          sql`SELECT sequence::float8 AS sequence FROM outbox_readers WHERE name = ${name} FOR UPDATE`
        )
        return found.sequence
      }),
      following: (sequence: number, limit: number) =>
        Effect.map(
          numbered(sql`
          SELECT id, sequence::float8 AS sequence, ${ms("at")} AS at_ms, event FROM outbox
          WHERE outbox.sequence > ${BigInt(sequence)} ORDER BY outbox.sequence LIMIT ${limit}`),
          (found) =>
            found.map((read): ReadEvent => ({
              ...read,
              kind: String(read.event["_tag"]),
              event: Option.getOrNull(decode(read.event))
            }))
        ),
      save: (name: string, sequence: number) =>
        run(sql`UPDATE outbox_readers SET sequence = ${BigInt(sequence)} WHERE name = ${name}`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
