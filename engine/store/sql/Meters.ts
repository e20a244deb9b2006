import { Context, Effect, Layer, type Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { purgeRows } from "../../rules/runtime/limits.ts"
import { countChanged, rows, run } from "./rows.ts"

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
    ): ReadonlyArray<MeterRecord> =>
      names.map((name) => {
        const meter = found.find((candidate) => candidate.name === name)
        return meter === undefined
          ? unused
          : { emptyAtMs: meter.emptyAtMs, seconds: { day: meter.day, sum: meter.sum } }
      })

    const change = <E>(
      names: ReadonlyArray<string>,
      rule: (meters: ReadonlyArray<MeterRecord>) => Result.Result<ReadonlyArray<MeterRecord>, E>
    ): Effect.Effect<void, E> =>
      Effect.gen(function* () {
        // Always in the same order, to prevent deadlocks between two agents of one owner.
        const sorted = [...names].sort()
        yield* run(
          sql`INSERT INTO meters (name) SELECT jsonb_array_elements_text(${JSON.stringify(sorted)}::text::jsonb) ON CONFLICT (name) DO NOTHING`
        )
        const found = yield* meters(
          sql`SELECT name, empty_at_ms, day, sum FROM meters WHERE name IN ${sql.in(sorted)} ORDER BY name FOR UPDATE`
        )
        const next = yield* Effect.fromResult(rule(order(names, found)))
        // One statement per name: with a join on a list the query planner reads the whole table.
        for (const [i, name] of names.entries()) {
          const meter = next[i]!
          yield* run(
            sql`UPDATE meters SET empty_at_ms = ${meter.emptyAtMs}, day = ${meter.seconds.day}, sum = ${meter.seconds.sum} WHERE name = ${name}`
          )
        }
      }).pipe(sql.withTransaction, Effect.catchTag("SqlError", Effect.die)) as Effect.Effect<void, E>

    return {
      read: (names: ReadonlyArray<string>) =>
        Effect.map(
          meters(sql`SELECT name, empty_at_ms, day, sum FROM meters WHERE name IN ${sql.in(names)}`),
          (found) => order(names, found)
        ),
      /** Locks the named meters, applies the rule and saves the result; a refusal changes nothing. */
      change,
      /** Deletes all meters of a removed agent or person. */
      forgetOf: (whose: string) => run(sql`DELETE FROM meters WHERE right(name, ${whose.length + 1}) = ${`:${whose}`}`),
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
