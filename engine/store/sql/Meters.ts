import { Clock, Context, Effect, Layer, type Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { metersKnownMax, metersKnownMs, purgeRows } from "../../rules/runtime/limits.ts"
import { countChanged, rows, run } from "./rows.ts"
import { afterCommitTogether } from "./afterCommit.ts"
import { isShared } from "./sharedDatabase.ts"
import { joinTransaction } from "./Transaction.ts"

/** A sliding window and a daily total under one name. */
export interface MeterRecord {
  readonly emptyAtMs: number
  readonly seconds: { readonly day: number; readonly sum: number }
}

const MeterRow = Schema.Struct({
  name: Schema.String,
  emptyAtMs: Schema.Finite,
  day: Schema.Int,
  sum: Schema.Finite
})
const meters = rows(MeterRow)

const unused: MeterRecord = { emptyAtMs: 0, seconds: { day: 0, sum: 0 } }

/** Counters shared by many agents: changed together or not at all, and exact across processes. */
export class Meters extends Context.Service<Meters>()("longwave/engine/store/Meters", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const order = (
      names: ReadonlyArray<string>,
      found: ReadonlyArray<typeof MeterRow.Type>
    ): ReadonlyArray<MeterRecord> => {
      const byName = new Map(
        found.map(({ day, emptyAtMs, name, sum }) => [name, { emptyAtMs, seconds: { day, sum } }] as const)
      )
      return names.map((name) => byName.get(name) ?? unused)
    }

    const known = new Map<string, { readonly meter: MeterRecord; readonly atMs: number }>()
    const remember = (name: string, meter: MeterRecord, atMs: number) => {
      // Another process may change it next.
      if (isShared(sql)) return
      known.delete(name)
      known.set(name, { meter, atMs })
      if (known.size > metersKnownMax) known.delete(known.keys().next().value!)
    }
    /** Names that a transaction has changed: what it reads of them again isn't committed. */
    const changedIn = new WeakMap<object, Set<string>>()

    const change = <E>(
      names: ReadonlyArray<string>,
      rule: (meters: ReadonlyArray<MeterRecord>) => Result.Result<ReadonlyArray<MeterRecord>, E>
    ): Effect.Effect<void, E> =>
      joinTransaction(sql)(
        Effect.gen(function* () {
          const nowMs = yield* Clock.currentTimeMillis
          const changed = yield* Effect.map(sql.transactionService, (transaction) => {
            const before = changedIn.get(transaction) ?? new Set<string>()
            changedIn.set(transaction, before)
            return before
          })
          // Makes and locks the rows, always in the same order, to prevent deadlocks between two agents of one owner.
          const found = order(
            names,
            yield* meters(sql`
              INSERT INTO meters AS m (name) SELECT jsonb_array_elements_text(${JSON.stringify([...names].sort())}::text::jsonb)
              ON CONFLICT (name) DO UPDATE SET name = m.name RETURNING name, empty_at_ms, day, sum`)
          )
          for (const [i, name] of names.entries()) if (!changed.has(name)) remember(name, found[i]!, nowMs)
          const next = yield* Effect.fromResult(rule(found))
          for (const name of names) changed.add(name)
          // One statement per name: with a join on a list the query planner reads the whole table.
          yield* Effect.forEach(
            names,
            (name, i) => {
              const { emptyAtMs, seconds } = next[i]!
              return run(
                sql`UPDATE meters SET empty_at_ms = ${emptyAtMs}, day = ${seconds.day}, sum = ${seconds.sum} WHERE name = ${name}`
              )
            },
            { concurrency: "unbounded", discard: true }
          )
          yield* afterCommitTogether(sql)(
            Effect.sync(() => {
              for (const [i, name] of names.entries()) remember(name, next[i]!, nowMs)
            })
          )
        })
      ) as Effect.Effect<void, E>

    return {
      /** Costs no statement right after a change: an answer to a command shows what is left. A transaction reads its own changes. */
      read: (names: ReadonlyArray<string>) =>
        Effect.flatMap(
          Effect.all([Clock.currentTimeMillis, Effect.serviceOption(sql.transactionService)]),
          ([nowMs, inside]) => {
            const remembered = names.flatMap((name) => {
              const one = known.get(name)
              return one !== undefined && nowMs - one.atMs < metersKnownMs ? [one.meter] : []
            })
            return inside._tag === "None" && remembered.length === names.length
              ? Effect.succeed(remembered)
              : Effect.map(
                  meters(sql`SELECT name, empty_at_ms, day, sum FROM meters WHERE name IN ${sql.in(names)}`),
                  (found) => order(names, found)
                )
          }
        ),
      /** Locks the named meters, applies the rule and saves the result; a refusal changes nothing. */
      change,
      /** Deletes all meters of a removed agent or person. */
      forgetOf: (whose: string) =>
        Effect.andThen(
          Effect.sync(() => known.clear()),
          run(sql`DELETE FROM meters WHERE right(name, ${whose.length + 1}) = ${`:${whose}`}`)
        ),
      /** Deletes meters that have been full since this instant, as unused ones are. */
      purge: (beforeMs: number) =>
        countChanged(
          sql`DELETE FROM meters WHERE ctid = ANY(ARRAY(SELECT ctid FROM meters WHERE greatest(empty_at_ms, (day + 1)::float8 * 86400000) < ${beforeMs}::float8 LIMIT ${purgeRows})) RETURNING 1`
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
