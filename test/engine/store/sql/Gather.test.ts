import { layer } from "@effect/vitest"
import { Effect, Exit, Layer, Schema, Tracer } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { countChanged, onlyRow, rows, run } from "../../../../engine/store/sql/rows.ts"
import { Transaction } from "../../../../engine/store/sql/Transaction.ts"
import { TestPostgres } from "../../../support/sql/Postgres.ts"

const asked: Array<string> = []
class Listening extends Tracer.NativeSpan {
  override attribute(key: string, value: unknown): void {
    if (key === "db.query.text") asked.push(String(value))
    super.attribute(key, value)
  }
}
const Statements = Layer.succeed(Tracer.Tracer, Tracer.make({ span: (options) => new Listening(options) }))
const atOnce = { concurrency: "unbounded" } as const
const Row = Schema.Struct({ meterName: Schema.String, emptyAtMs: Schema.Finite, isNew: Schema.Boolean })
const named = rows(Row)
const sum = onlyRow(Schema.Struct({ sum: Schema.Finite }))

const world = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { gatherReads, join, run: runAsOne } = yield* Transaction
  asked.length = 0
  return {
    sql,
    gatherReads,
    join,
    runAsOne,
    list: (prefix: string) =>
      named(
        sql`SELECT name AS meter_name, empty_at_ms, false AS is_new FROM meters WHERE name LIKE ${`${prefix}%`} ORDER BY name DESC`
      ),
    add: (name: string, emptyAtMs: number) =>
      named(
        sql`INSERT INTO meters (name, empty_at_ms) VALUES (${name}, ${emptyAtMs}) RETURNING name AS meter_name, empty_at_ms, true AS is_new`
      ),
    total: sum(sql`SELECT coalesce(sum(empty_at_ms), 0)::float8 AS sum FROM meters`)
  }
})

layer(Transaction.layer.pipe(Layer.provideMerge(TestPostgres), Layer.provideMerge(Statements)))("statements", (it) => {
  it.effect("asked for at the same time go as one, each with its own rows, in their order", () =>
    Effect.gen(function* () {
      const { add, gatherReads, list, total } = yield* world
      for (const [index, name] of ["a:1", "a:2", "b:1"].entries()) yield* add(name, index + 0.1)
      const readAll = Effect.all([list("a:"), total, list("none"), list("b:"), Effect.succeed(7)], atOnce)
      const apart = yield* readAll
      expect(asked).toHaveLength(7)
      asked.length = 0
      const gathered = yield* gatherReads(readAll)
      expect([asked.length, gathered]).toEqual([1, apart])
      expect(gathered[0].map(({ meterName }) => meterName)).toEqual(["a:2", "a:1"])
      // One after the other, each goes by itself.
      asked.length = 0
      yield* gatherReads(Effect.all([list("a:"), total]))
      expect(asked).toHaveLength(2)
    })
  )

  it.effect("that follow each other go together step by step", () =>
    Effect.gen(function* () {
      const { gatherReads, list, total } = yield* world
      const steps = Effect.flatMap(list("a:"), () => total)
      yield* gatherReads(Effect.all([steps, steps, list("b:")], atOnce))
      expect(asked).toHaveLength(2)
    })
  )

  it.effect("that write go together with reads in a transaction, and alone outside of any", () =>
    Effect.gen(function* () {
      const { add, gatherReads, list, runAsOne, sql, total } = yield* world
      const write = Effect.all(
        [
          add("c:1", 5),
          run(sql`INSERT INTO meters (name) VALUES ('c:2')`),
          countChanged(sql`UPDATE meters SET day = 3 WHERE name = 'b:1' RETURNING 1`),
          list("c:")
        ],
        atOnce
      )
      expect(yield* runAsOne(write)).toEqual([[{ meterName: "c:1", emptyAtMs: 5, isNew: true }], undefined, 1, []])
      expect(asked).toHaveLength(1)
      expect((yield* list("c:")).map(({ meterName }) => meterName)).toEqual(["c:2", "c:1"])
      asked.length = 0
      yield* gatherReads(Effect.all([add("d:1", 1), add("d:2", 1), total, total], atOnce))
      expect(asked).toHaveLength(3)
    })
  )

  it.effect("each time have the values that they were given, however many", () =>
    Effect.gen(function* () {
      const { add, gatherReads, list, runAsOne, sql } = yield* world
      const among = (names: ReadonlyArray<string>) =>
        named(
          sql`SELECT name AS meter_name, empty_at_ms, false AS is_new FROM meters WHERE name IN ${sql.in(names)} ORDER BY name`
        )
      const written = (name: string, emptyAtMs: number) =>
        Effect.map(
          runAsOne(Effect.all([list(`${name}-`), add(name, emptyAtMs), list("f:")], atOnce)),
          ([, added]) => added
        )
      for (const [index, name] of ["f:1", "f:2", "f:3"].entries())
        expect(yield* written(name, index)).toEqual([{ meterName: name, emptyAtMs: index, isNew: true }])
      for (const names of [["f:1"], ["f:3", "f:2"], ["f:1", "f:2", "f:3"]]) {
        const [found, one] = yield* gatherReads(Effect.all([among(names), list(names[0]!)], atOnce))
        expect(found.map(({ meterName }) => meterName)).toEqual(names.toSorted())
        expect(one.map(({ meterName }) => meterName)).toEqual([names[0]])
      }
    })
  )

  it.effect("fail together, and a transaction takes all of them back", () =>
    Effect.gen(function* () {
      const { add, gatherReads, join, list, runAsOne, sql, total } = yield* world
      const broken = run(sql`SELECT 1 / (SELECT count(*) FROM meters WHERE name = 'nobody')`)
      const exits = yield* gatherReads(Effect.all([Effect.exit(broken), Effect.exit(total)], atOnce))
      expect(exits.map(({ _tag }) => _tag)).toEqual(["Failure", "Failure"])
      // The next ones aren't touched by it.
      expect((yield* gatherReads(Effect.all([total, total], atOnce)))[0].sum).toBeGreaterThan(0)
      const failed = yield* Effect.exit(
        runAsOne(Effect.andThen(join(Effect.all([add("e:1", 1), add("e:2", 1)], atOnce)), Effect.fail("no")))
      )
      expect([Exit.isFailure(failed), yield* list("e:")]).toEqual([true, []])
    })
  )

  it.effect("of an interrupted reader leave the others theirs", () =>
    Effect.gen(function* () {
      const { gatherReads, list, total } = yield* world
      const [first, second] = yield* gatherReads(
        Effect.all([Effect.exit(Effect.andThen(total, Effect.interrupt)), Effect.exit(list("a:"))], atOnce)
      )
      expect([Exit.isFailure(first), Exit.isSuccess(second)]).toEqual([true, true])
    })
  )
})
