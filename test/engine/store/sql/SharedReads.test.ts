import { layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { sharedConnections, slowReadAloneMs } from "../../../../engine/rules/runtime/limits.ts"
import { SharedReadMs } from "../../../../engine/store/sql/SharedReads.ts"
import { TestPostgres } from "../../../support/sql/Postgres.ts"

const atOnce = { concurrency: "unbounded" } as const

// However slow the machine is, none of these reads is taken for a slow one.
const patient = TestPostgres.pipe(Layer.provide(Layer.succeed(SharedReadMs, 60_000)))

layer(patient)("reads outside of transactions", (it) => {
  it.effect("share a few connections, and each gets its own rows or its own error", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const answers = yield* Effect.forEach(
        Array.from({ length: 200 }, (_, index) => index),
        (index) =>
          Effect.exit(
            sql`SELECT ${index}::int AS my_index, 1 / (${index}::int % 7) AS quotient, current_setting('default_transaction_read_only') AS how`
          ),
        atOnce
      )
      for (const [index, answer] of answers.entries())
        if (index % 7 === 0) expect(answer._tag).toBe("Failure")
        else expect(answer).toMatchObject({ value: [{ myIndex: index, quotient: index % 7 === 1 ? 1 : 0, how: "on" }] })
      const [found] = yield* sql`
        SELECT count(*)::int AS connections FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'longwave'`
      // One more for this very question, which concerns the session, and those that migrated.
      expect(found!["connections"]).toBeLessThanOrEqual(sharedConnections + 3)
    })
  )

  it.effect("have a connection of their own where they lock, change something, or are in a transaction", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const how = sql.literal("current_setting('default_transaction_read_only') AS how")
      yield* sql`INSERT INTO meters (name, empty_at_ms) VALUES ('own', 1)`
      for (const own of [
        sql`SELECT ${how} FROM meters WHERE name = 'own' FOR UPDATE`,
        sql`SELECT ${how}, nextval('outbox_sequence')`,
        sql`WITH changed AS (UPDATE meters SET sum = 2 WHERE name = 'own' RETURNING name) SELECT ${how} FROM changed`,
        sql.withTransaction(sql`SELECT ${how}`)
      ])
        expect(yield* own).toMatchObject([{ how: "off" }])
      expect(yield* sql`WITH shared AS (SELECT 1) SELECT ${how} FROM shared`).toEqual([{ how: "on" }])
    })
  )
})

layer(TestPostgres)("reads beside a slow one", (it) => {
  it.effect("don't wait behind it, which is asked again on a connection of its own, and there alone for a while", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE TABLE locked (n int)`
      const slow = sql`SELECT count(*)::int AS n, current_setting('default_transaction_read_only') AS how FROM locked`
      const [isLocked, mayEnd] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const change = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`LOCK TABLE locked IN ACCESS EXCLUSIVE MODE`
            yield* Deferred.succeed(isLocked, undefined)
            yield* sql`INSERT INTO locked VALUES (1)`
            yield* Deferred.await(mayEnd)
          })
        )
      )
      yield* Deferred.await(isLocked)
      const waiting = yield* Effect.forkChild(slow, { startImmediately: true })
      yield* Effect.forEach(Array.from({ length: 90 }), () => sql`SELECT 1 AS one`, atOnce)
      // The others were answered while the table was locked.
      yield* Deferred.succeed(mayEnd, undefined)
      yield* Fiber.join(change)
      expect((yield* Fiber.join(waiting))[0]).toMatchObject({ n: 1 })
      expect(yield* slow).toEqual([{ n: 1, how: "off" }])
      yield* TestClock.adjust(slowReadAloneMs)
      expect(yield* slow).toEqual([{ n: 1, how: "on" }])
    })
  )
})
