import { NodeServices } from "@effect/platform-node"
import { layer } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { once } from "node:events"
import { connect, createServer } from "node:net"
import { expect } from "vitest"
import { addressThrough } from "../../../../bench/instruments/servers/CutProxy.ts"
import { databaseAt } from "../../../../engine/store/sql/Database.ts"
import { isUnavailable } from "../../../../engine/store/sql/StoreHealth.ts"
import { Transaction } from "../../../../engine/store/sql/Transaction.ts"
import { makeDatabase } from "../../../support/sql/Postgres.ts"

/** What the station has written to the database, write by write. */
class Writes extends Context.Service<Writes, Array<string>>()("longwave/test/Writes") {}

/** A database behind a server that notes each write. */
const watched = Layer.unwrap(
  Effect.gen(function* () {
    const url = Redacted.value(yield* makeDatabase())
    const { hostname, port } = new URL(url)
    const writes: Array<string> = []
    const server = createServer((from) => {
      const to = connect(Number(port), hostname)
      from.on("data", (bytes) => void writes.push(bytes.toString("latin1")))
      from.on("error", () => to.destroy()).on("close", () => to.destroy())
      to.on("error", () => from.destroy()).on("close", () => from.destroy())
      from.pipe(to).pipe(from)
    })
    server.listen(0, "127.0.0.1")
    yield* Effect.promise(() => once(server, "listening"))
    yield* Effect.addFinalizer(() => Effect.sync(() => server.close()))
    return Layer.merge(
      Transaction.layer.pipe(Layer.provideMerge(databaseAt(Redacted.make(addressThrough(url, server))))),
      Layer.succeed(Writes, writes)
    )
  })
).pipe(Layer.provideMerge(NodeServices.layer))

layer(watched)("a transaction", (it) => {
  const setUp = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`DROP TABLE IF EXISTS shelf`
    yield* sql`CREATE TABLE shelf (n int PRIMARY KEY DEFERRABLE INITIALLY IMMEDIATE)`
    const put = (n: number) => sql`INSERT INTO shelf (n) VALUES (${n})`
    const taken = Effect.map(sql`SELECT n FROM shelf ORDER BY n`, (found) => found.map(({ n }) => n))
    return { sql, put, taken }
  })

  it.effect("sends BEGIN with its first statement, and its last changes with COMMIT", () =>
    Effect.gen(function* () {
      const { put, sql, taken } = yield* setUp
      const writes = yield* Writes
      const work = sql.withTransaction(
        Effect.gen(function* () {
          yield* taken
          yield* put(1)
          yield* put(2)
        })
      )
      yield* work
      yield* sql`DELETE FROM shelf`
      writes.length = 0
      yield* work
      expect(writes).toHaveLength(2)
      expect(yield* taken).toEqual([1, 2])

      writes.length = 0
      yield* sql.withTransaction(Effect.void)
      expect(writes).toEqual([])
      yield* Effect.flip(sql.withTransaction(Effect.andThen(put(3), Effect.fail("no"))))
      expect(writes).toEqual([])
      expect(yield* taken).toEqual([1, 2])
    })
  )

  it.effect("sees its own changes, in their order", () =>
    Effect.gen(function* () {
      const { put, sql, taken } = yield* setUp
      const seen = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* put(1)
          yield* sql`UPDATE shelf SET n = n + 1`
          yield* put(1)
          return yield* taken
        })
      )
      expect(seen).toEqual([1, 2])
    })
  )

  it.effect("fails with the error of its change, in the next statement or in COMMIT, and changes nothing", () =>
    Effect.gen(function* () {
      const { put, sql, taken } = yield* setUp
      yield* put(1)
      const twice = Effect.asVoid(Effect.andThen(put(2), put(1)))
      for (const next of [Effect.void, Effect.asVoid(taken), Effect.asVoid(put(3))]) {
        const error = yield* Effect.flip(sql.withTransaction(Effect.andThen(twice, next)))
        expect(error).toMatchObject({ _tag: "SqlError", reason: { _tag: "UniqueViolation" } })
        expect(yield* taken).toEqual([1])
      }
    })
  )

  it.effect("does not commit without a change that could not be encoded", () =>
    Effect.gen(function* () {
      const { put, sql, taken } = yield* setUp
      const unknown = sql`UPDATE shelf SET n = ${Symbol("nothing") as never}`
      expect(Exit.isFailure(yield* Effect.exit(sql.withTransaction(Effect.andThen(put(1), unknown))))).toBe(true)
      expect(yield* taken).toEqual([])
    })
  )

  it.effect("goes on after a change that failed in a savepoint", () =>
    Effect.gen(function* () {
      const { put, sql, taken } = yield* setUp
      const transaction = yield* Transaction
      yield* put(1)
      const outcome = yield* transaction.run(
        Effect.gen(function* () {
          yield* put(2)
          const failed = yield* Effect.flip(sql.withTransaction(Effect.andThen(put(3), put(1))))
          yield* put(4)
          yield* sql.withTransaction(put(5))
          return failed
        })
      )
      expect(outcome).toMatchObject({ reason: { _tag: "UniqueViolation" } })
      expect(yield* taken).toEqual([1, 2, 4, 5])
    })
  )

  it.effect("whose session the server ended between two statements fails for lack of a database", () =>
    Effect.gen(function* () {
      const { put, sql, taken } = yield* setUp
      const begun = yield* Deferred.make<number>()
      const ended = yield* Deferred.make<void>()
      const transaction = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.gen(function* () {
            const [session] = yield* sql<{
              pid: number
            }>`INSERT INTO shelf (n) VALUES (1) RETURNING pg_backend_pid() AS pid`
            yield* Deferred.succeed(begun, session!.pid)
            yield* Deferred.await(ended)
            yield* put(2)
          })
        )
      )
      const pid = yield* Deferred.await(begun)
      yield* sql`SELECT pg_terminate_backend(${pid}, 5000)`
      yield* Deferred.succeed(ended, undefined)
      const error = yield* Effect.flip(Fiber.join(transaction))
      expect([error, isUnavailable(error)]).toEqual([error, true])
      expect(yield* taken).toEqual([])
    })
  )

  it.effect("that is interrupted changes nothing, and leaves its connection usable", () =>
    Effect.gen(function* () {
      const { put, sql, taken } = yield* setUp
      for (let turn = 0; turn < 30; turn++)
        yield* Effect.race(
          sql.withTransaction(Effect.andThen(put(1), taken)).pipe(Effect.andThen(Effect.never)),
          sql`SELECT 1`
        ).pipe(Effect.andThen(sql`DELETE FROM shelf`))
      yield* Effect.forEach(
        Array.from({ length: 20 }, (_, n) => n),
        (n) => sql.withTransaction(put(n)),
        { concurrency: "unbounded" }
      )
      expect(yield* taken).toHaveLength(20)
    })
  )
})
