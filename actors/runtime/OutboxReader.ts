import { Cause, Effect, Exit, Metric, Stream } from "effect"
import { outboxBatchMax, outboxNumberedMax, outboxTickSec, outboxTriesMax } from "../../engine/rules/runtime/limits.ts"
import { OutboxReaders, type ReadEvent } from "../../engine/store/sql/OutboxReaders.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { StationEvent } from "../../schema/Events.ts"
import { EventBus } from "./EventBus.ts"
import { logFailure, superviseForEver } from "./Supervision.ts"

const skipped = Metric.counter("outbox_passed_over_total", {
  description: "events that a reader of the outbox could not read or make use of"
})

export type Told = Omit<ReadEvent, "event"> & { readonly event: StationEvent }

const passOver = (name: string, row: ReadEvent, why: string, cause?: Cause.Cause<unknown>) =>
  Effect.andThen(
    Metric.update(Metric.withAttributes(skipped, { reader: name }), 1),
    Effect.logWarning(
      `outbox: ${name} passes over ${row.kind} ${row.id}: ${why}`,
      ...(cause === undefined ? [] : [cause])
    )
  )

/**
 * Follows the outbox from where `name` stood last, each event in the order in which they became certain. What `handle` writes to the store is
 * written in one transaction with the new position: once, whatever falls in between; whatever else it does happens at least once, so leave it
 * for `afterCommit`. An event that `handle` fails at again and again, while the store is well, is skipped: it must not keep back those behind it.
 */
export const outboxReader = <E, R>(name: string, handle: (told: Told) => Effect.Effect<void, E, R>) =>
  Effect.gen(function* () {
    const bus = yield* EventBus
    const readers = yield* OutboxReaders
    const transaction = yield* Transaction
    /** How often each event at which this reader stands was tried in vain. */
    const tries = new Map<string, number>()

    const batch = Effect.gen(function* () {
      const from = yield* readers.hold(name)
      const rows = yield* readers.following(from, outboxBatchMax)
      let reached = from
      let failed: { readonly row: ReadEvent; readonly cause: Cause.Cause<unknown> } | null = null
      for (const row of rows) {
        const { event } = row
        if (event === null) yield* passOver(name, row, "its kind or form is unknown here")
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

    /** Reads all that there is. Fails where an event could not be handled, to be tried again. */
    const drain = Effect.gen(function* () {
      for (;;) {
        const numbered = yield* readers.number
        const { failed, full } = yield* transaction.run(batch)
        if (failed !== null) {
          // Counted once the transaction stands: a store that is away is no fault of the event's.
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
      // Many calls during one round are one call.
      Stream.buffer({ capacity: 1, strategy: "sliding" }),
      // A store that is away for a while, or an event that can't be handled yet, is no end: the next round comes.
      Stream.runForEach(() => logFailure(`outbox: ${name} stopped for now`, drain))
    )
    return { drain, run: superviseForEver(`Outbox/${name}`, outboxTickSec * 1_000, rounds) }
  })
