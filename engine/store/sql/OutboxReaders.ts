import { Cause, Context, Deferred, Effect, Layer, Option, Schema, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import { StationEvent } from "../../../schema/Events.ts"
import { outboxNumberedMax, purgeRows } from "../../rules/runtime/limits.ts"
import { at, ms } from "./instants.ts"
import { countChanged, onlyRow, rows, run } from "./rows.ts"

const decode = Schema.decodeUnknownOption(StationEvent)

/** An event for a reader. `event` is null if this version of the station can't decode it. */
export interface ReadEvent {
  readonly id: string
  readonly sequence: number
  readonly atMs: number
  readonly kind: string
  readonly event: StationEvent | null
}

const standingRow = onlyRow(Schema.Struct({ sequence: Schema.Finite }))
/** Decodes each event on its own: one of another version must not block the others. */
const numberedRows = rows(
  Schema.Struct({
    id: Schema.String,
    sequence: Schema.Finite,
    atMs: Schema.Finite,
    event: Schema.Record(Schema.String, Schema.Unknown)
  })
)

/** An advisory lock number unique in the station: one process numbers at a time, so that numbers appear in order. */
const numberingLock = 7_120_052

/** Position of each reader of the outbox. */
export class OutboxReaders extends Context.Service<OutboxReaders>()("longwave/engine/store/OutboxReaders", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const number = Effect.gen(function* () {
      yield* sql`SELECT pg_advisory_xact_lock(${numberingLock}::int)`
      // A separate statement, to see what was committed while it waited for the lock.
      const given = yield* sql`
        UPDATE outbox SET sequence = numbered.sequence FROM (
          SELECT position, nextval('outbox_sequence') AS sequence FROM (SELECT position FROM outbox WHERE sequence IS NULL ORDER BY position LIMIT ${outboxNumberedMax}) AS waiting
        ) AS numbered WHERE outbox.position = numbered.position RETURNING outbox.position`
      return given.length
    })
    const oneAtATime = Semaphore.makeUnsafe(1)
    /** A round that waits for the running one to end. */
    let next: Deferred.Deferred<number> | null = null
    return {
      /** Numbers newly committed events. Returns how many. Readers that ask while a round runs share the next one. */
      number: Effect.suspend(function share(): Effect.Effect<number> {
        if (next !== null)
          return Effect.catchCause(Deferred.await(next), (cause) =>
            Cause.hasInterruptsOnly(cause) ? Effect.suspend(share) : Effect.failCause(cause)
          )
        const mine = (next = Deferred.makeUnsafe<number>())
        const start = Effect.suspend(() => {
          if (next === mine) next = null
          return Effect.orDie(sql.withTransaction(number))
        })
        return Effect.onExit(oneAtATime.withPermit(start), (exit) =>
          Effect.sync(() => {
            if (next === mine) next = null
            Deferred.doneUnsafe(mine, exit)
          })
        )
      }),
      /** The position of a reader, locked until the transaction ends. */
      hold: Effect.fnUntraced(function* (name: string) {
        yield* run(sql`INSERT INTO outbox_readers (name) VALUES (${name}) ON CONFLICT (name) DO NOTHING`)
        const found = yield* standingRow(
          sql`SELECT sequence::float8 AS sequence FROM outbox_readers WHERE name = ${name} FOR UPDATE`
        )
        return found.sequence
      }),
      listAfter: (sequence: number, limit: number) =>
        Effect.map(
          numberedRows(sql`
          SELECT id, sequence::float8 AS sequence, ${ms("at")} AS at_ms, event FROM outbox
          WHERE outbox.sequence > ${BigInt(sequence)} ORDER BY outbox.sequence LIMIT ${limit}`),
          (found) =>
            found.map((read): ReadEvent => ({
              ...read,
              kind: String(read.event["_tag"]),
              event: Option.getOrNull(decode(read.event))
            }))
        ),
      /** Deletes events from before that instant which every reader has read. */
      purge: (beforeMs: number) =>
        countChanged(
          sql`DELETE FROM outbox WHERE ctid = ANY(ARRAY(SELECT ctid FROM outbox WHERE at < ${at(beforeMs)} AND sequence <= (SELECT min(sequence) FROM outbox_readers) LIMIT ${purgeRows})) RETURNING 1`
        ),
      save: (name: string, sequence: number) =>
        run(sql`UPDATE outbox_readers SET sequence = ${BigInt(sequence)} WHERE name = ${name}`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
