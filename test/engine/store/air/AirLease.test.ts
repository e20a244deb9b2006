import { NodeServices } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { airLeaseMs } from "../../../../engine/rules/air/limits.ts"
import { StationConfig } from "../../../../engine/runtime/Config.ts"
import { AirLease } from "../../../../engine/store/air/AirLease.ts"
import { FencesWriter } from "../../../../engine/store/air/Fences.ts"
import { databaseAt } from "../../../../engine/store/sql/Database.ts"
import { makeDatabase } from "../../../support/sql/Postgres.ts"

const settled = { isSettled: true }

/** A database, and processes with a session each. */
const enter = Effect.gen(function* () {
  const url = yield* makeDatabase()
  const store = yield* Layer.build(databaseAt(url))
  const sql = Context.get(store, SqlClient.SqlClient)
  const configOf = (port: number) =>
    StationConfig.fromEnvironment({
      DATA_DIR: "/var",
      DATABASE_URL: Redacted.value(url),
      CLUSTER_HOST: "127.0.0.1",
      CLUSTER_PORT: String(port),
      CLUSTER_SECRET: "a secret of the processes of a station"
    })
  const config = configOf(7_000)
  const start = Effect.fnUntraced(function* () {
    const scope = yield* Scope.make()
    yield* Effect.addFinalizer(() => Scope.close(scope, Exit.void))
    const context = yield* Layer.build(AirLease.layer.pipe(Layer.provide(config))).pipe(
      Scope.provide(scope),
      Effect.provideContext(store)
    )
    return { lease: Context.get(context, AirLease), kill: Scope.close(scope, Exit.void) }
  })
  /** The tokens of the process with this port, which is called `127.0.0.1:port`. */
  const fencesOf = (port: number) =>
    Effect.map(
      Layer.build(Layer.fresh(FencesWriter.layer).pipe(Layer.provide(configOf(port)))).pipe(
        Effect.provideContext(store)
      ),
      (context) => Context.get(context, FencesWriter)
    )
  return { sql, start, fencesOf }
})

describe("the lease of the air", () => {
  it.live("tells who takes it for how long the former owner had not renewed it", () =>
    Effect.gen(function* () {
      const { sql, start } = yield* enter
      const [first, second] = [yield* start(), yield* start()]
      expect(yield* first.lease.hold("first", settled)).toMatchObject({ owner: "first", formerSilentMs: null })
      expect(yield* first.lease.hold("first", settled)).toMatchObject({ owner: "first", formerSilentMs: null })
      expect(yield* second.lease.hold("second", settled)).toMatchObject({ owner: "first", formerSilentMs: null })
      // As if it had been cut off a minute ago.
      yield* sql`UPDATE stations SET air_until = now() - interval '1 minute' + ${airLeaseMs} * interval '1 millisecond'`
      const taken = yield* second.lease.hold("second", settled)
      expect(taken).toMatchObject({ owner: "second", reason: "The lease of first had ended." })
      expect(taken.formerSilentMs).toBeGreaterThanOrEqual(60_000)
      expect(taken.formerSilentMs).toBeLessThan(120_000)
      expect((yield* second.lease.hold("second", settled)).formerSilentMs).toBeNull()
      // An owner that stops was on the air until then.
      yield* second.lease.release("second")
      const freed = yield* first.lease.hold("first", settled)
      expect(freed).toMatchObject({ owner: "first", reason: "No process had the air." })
      expect(freed.formerSilentMs).toBeGreaterThanOrEqual(0)
      expect(freed.formerSilentMs).toBeLessThan(60_000)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("tells its owner since which token no other process has had it", () =>
    Effect.gen(function* () {
      const { fencesOf, sql, start } = yield* enter
      const { lease } = yield* start()
      const names = ["127.0.0.1:7001", "127.0.0.1:7002"] as const
      const [first, second] = [yield* fencesOf(7_001), yield* fencesOf(7_002)]
      /** The process takes the air, and its station the next token. */
      const take = Effect.fnUntraced(function* (n: 0 | 1) {
        const { fence } = yield* lease.hold(names[n], settled)
        yield* (n === 0 ? first : second).acquire
        return fence
      })
      const began = yield* take(0)
      expect(yield* first.heldSince).toBe(began)
      expect(yield* second.heldSince).toBeNull()
      // It restarts: after a kill the lease is still its own, after a stop it takes it anew.
      yield* take(0)
      yield* lease.release(names[0])
      expect(yield* take(0)).toBeGreaterThan(began)
      expect(yield* first.heldSince).toBe(began)
      // Another process has it in between, whether it does anything or not.
      yield* lease.release(names[0])
      yield* lease.hold(names[1], settled)
      yield* lease.release(names[1])
      const again = yield* take(0)
      expect(yield* first.heldSince).toBe(again)
      // A version that doesn't know these columns had it in between.
      yield* lease.release(names[0])
      yield* sql`UPDATE stations SET air_owner = ${names[1]}, air_since = now() + interval '1 second', fence = fence + 1`
      yield* lease.release(names[1])
      expect(yield* take(0)).toBe(yield* first.heldSince)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
