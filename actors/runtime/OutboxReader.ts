import { Cause, Effect, Exit, Metric, Stream } from "effect"
import { outboxBatchMax, outboxNumberedMax, outboxTickSec, outboxTriesMax } from "../../engine/rules/runtime/limits.ts"
import { OutboxReaders, type ReadEvent } from "../../engine/store/sql/OutboxReaders.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { StationEvent } from "../../schema/Events.ts"
import { EventBus } from "./EventBus.ts"
import { logFailure, superviseForEver } from "./Supervision.ts"

const skipped = Metric.counter("outbox_passed_over_total", {
  description: "events that an outbox reader skipped because it could not read or handle them"
})

export type Told = Omit<ReadEvent, "event"> & { readonly event: StationEvent }

const passOver = (name: string, row: ReadEvent, why: string, cause?: Cause.Cause<unknown>) =>
  Effect.andThen(
    Metric.update(Metric.withAttributes(skipped, { reader: name }), 1),
    Effect.logWarning(`outbox: ${name} skips ${row.kind} ${row.id}: ${why}`, ...(cause === undefined ? [] : [cause]))
  )

/**
 * Reads the outbox from the saved position of `name`, in commit order. Store writes of `handle` are committed with the new position, so
 * they happen exactly once. Its other effects happen at least once: put them in `afterCommit`. An event that fails `outboxTriesMax` times
 * while the store is up is skipped, so that it doesn't block the events behind it.
 */
export const outboxReader = <E, R>(name: string, handle: (told: Told) => Effect.Effect<void, E, R>) =>
  Effect.gen(function* () {
    const bus = yield* EventBus
    const readers = yield* OutboxReaders
    const transaction = yield* Transaction
    /** Failed tries by event id. */
    const tries = new Map<string, number>()

    /** Without a savepoint for each event, which costs two statements even for one that this reader ignores. Fails as a whole. */
    const batchTogether = Effect.gen(function* () {
      const from = yield* readers.hold(name)
      const rows = yield* readers.listAfter(from, outboxBatchMax)
      for (const { event, ...row } of rows) {
        if (event === null) return yield* Effect.die(new Error("unknown kind or form"))
        yield* handle({ ...row, event })
      }
      if (rows.length > 0) yield* readers.save(name, rows.at(-1)!.sequence)
      return { full: rows.length === outboxBatchMax, failed: null }
    })
    const batchApart = Effect.gen(function* () {
      const from = yield* readers.hold(name)
      const rows = yield* readers.listAfter(from, outboxBatchMax)
      let reached = from
      let failed: { readonly row: ReadEvent; readonly cause: Cause.Cause<unknown> } | null = null
      for (const row of rows) {
        const { event } = row
        if (event === null) yield* passOver(name, row, "unknown kind or form")
        else {
          const exit = yield* Effect.exit(transaction.run(handle({ ...row, event })))
          if (Exit.isFailure(exit)) {
            if (Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.interrupt
            if ((tries.get(row.id) ?? 0) + 1 < outboxTriesMax) {
              failed = { row, cause: exit.cause }
              break
            }
            yield* passOver(name, row, `it failed ${outboxTriesMax} times`, exit.cause)
          }
        }
        reached = row.sequence
      }
      if (reached !== from) yield* readers.save(name, reached)
      return { full: rows.length === outboxBatchMax, failed }
    })

    /** Reads to the end. Fails when an event could not be handled; the next round retries it. */
    const drain = Effect.gen(function* () {
      for (;;) {
        const numbered = yield* readers.number
        const { failed, full } = yield* Effect.catchCause(transaction.run(batchTogether), (cause) =>
          Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause) : transaction.run(batchApart)
        )
        if (failed !== null) {
          // Counted after the commit: a store outage is not a fault of the event.
          tries.set(failed.row.id, (tries.get(failed.row.id) ?? 0) + 1)
          return yield* Effect.failCause(failed.cause)
        }
        tries.clear()
        if (!full && numbered < outboxNumberedMax) return
      }
    })

    const rounds = Stream.merge(
      Stream.map(bus.events, () => undefined),
      Stream.tick(`${outboxTickSec} seconds`)
    ).pipe(
      // Wakeups during a round collapse into one.
      Stream.buffer({ capacity: 1, strategy: "sliding" }),
      // A store outage or a failed event ends only this round.
      Stream.runForEach(() => logFailure(`outbox: ${name} stopped until the next round`, drain))
    )
    return { drain, run: superviseForEver(`Outbox/${name}`, outboxTickSec * 1_000, rounds) }
  })
