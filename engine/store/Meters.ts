import { Context, Effect, Layer, type Result } from "effect"
import { SqlClient } from "effect/sql"

/** A sliding window and a day's sum, under one name. */
export interface MeterRecord {
  readonly emptyAtMs: number
  readonly seconds: { readonly day: number; readonly sum: number }
}

interface MeterRow {
  readonly name: string
  readonly emptyAtMs: number
  readonly day: number
  readonly sum: number
}

const unused: MeterRecord = { emptyAtMs: 0, seconds: { day: 0, sum: 0 } }

/** Counters shared by many agents: changed together or not at all, and exact across processes. */
export class Meters extends Context.Service<Meters, {
  readonly read: (names: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<MeterRecord>>
  /** Locks the named meters, lets the rule say what becomes of them, and saves that; a refusal changes nothing. */
  readonly change: <E>(names: ReadonlyArray<string>, rule: (meters: ReadonlyArray<MeterRecord>) => Result.Result<ReadonlyArray<MeterRecord>, E>) => Effect.Effect<void, E>
  /** All allowances of somebody who is no more. */
  readonly forgetOf: (whose: string) => Effect.Effect<void>
  /** Those that stand under a guest's address, hashed as it is, and have been full again since this instant. */
  readonly forgetGuests: (beforeMs: number) => Effect.Effect<void>
}>()("longwave/engine/store/Meters") {
  static readonly layer = Layer.effect(Meters, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const order = (names: ReadonlyArray<string>, rows: ReadonlyArray<MeterRow>): ReadonlyArray<MeterRecord> =>
      names.map((name) => {
        const row = rows.find((candidate) => candidate.name === name)
        return row === undefined ? unused : { emptyAtMs: row.emptyAtMs, seconds: { day: row.day, sum: row.sum } }
      })

    const change = <E>(names: ReadonlyArray<string>, rule: (meters: ReadonlyArray<MeterRecord>) => Result.Result<ReadonlyArray<MeterRecord>, E>): Effect.Effect<void, E> =>
      Effect.gen(function*() {
        // Always in the same order: two agents of one owner must not wait for each other.
        const sorted = [...names].sort()
        yield* Effect.orDie(sql`INSERT INTO meters (name) SELECT jsonb_array_elements_text(${JSON.stringify(sorted)}::text::jsonb) ON CONFLICT (name) DO NOTHING`)
        const rows = yield* Effect.orDie(sql<MeterRow>`SELECT name, empty_at_ms, day, sum FROM meters WHERE name IN ${sql.in(sorted)} ORDER BY name FOR UPDATE`)
        const next = yield* Effect.fromResult(rule(order(names, rows)))
        // By name, each: joined to a list of them, the planner reads the whole table.
        for (const [i, name] of names.entries()) {
          const meter = next[i]!
          yield* Effect.orDie(sql`UPDATE meters SET empty_at_ms = ${meter.emptyAtMs}, day = ${meter.seconds.day}, sum = ${meter.seconds.sum} WHERE name = ${name}`)
        }
      }).pipe(sql.withTransaction, Effect.catchTag("SqlError", Effect.die)) as Effect.Effect<void, E>

    return Meters.of({
      read: (names) => Effect.orDie(Effect.map(sql<MeterRow>`SELECT name, empty_at_ms, day, sum FROM meters WHERE name IN ${sql.in(names)}`, (rows) => order(names, rows))),
      change,
      forgetOf: (whose) => Effect.orDie(Effect.asVoid(sql`DELETE FROM meters WHERE right(name, ${whose.length + 1}) = ${`:${whose}`}`)),
      forgetGuests: (beforeMs) => Effect.orDie(Effect.asVoid(sql`DELETE FROM meters WHERE name LIKE '%:guest\\_%' AND greatest(empty_at_ms, (day + 1)::float8 * 86400000) < ${beforeMs}::float8`))
    })
  }))
}
