import { layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import { outboxReader } from "../../../actors/runtime/OutboxReader.ts"
import { ActorTree } from "../../../actors/runtime/Supervision.ts"
import { emit } from "../../../actors/runtime/emit.ts"
import { outboxTickSec, outboxTriesMax } from "../../../engine/rules/runtime/limits.ts"
import { IdSource } from "../../../engine/runtime/IdSource.ts"
import { Outbox } from "../../../engine/store/sql/Outbox.ts"
import { OutboxReaders } from "../../../engine/store/sql/OutboxReaders.ts"
import { Ranks } from "../../../engine/store/ranks/Ranks.ts"
import { Transaction } from "../../../engine/store/sql/Transaction.ts"
import { TestPostgres } from "../../support/sql/Postgres.ts"

const World = Layer.mergeAll(EventBus.layer, IdSource.layer, ActorTree.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(Outbox.layer, OutboxReaders.layer, Ranks.layer, Transaction.layer)),
  Layer.provideMerge(TestPostgres)
)

const alert = (detail: string) => emit({ _tag: "OpsAlerted", what: "test", detail })
const detailOf = ({ event }: { readonly event: object }) => ("detail" in event ? (event.detail as string) : "?")
/** A reader that keeps the events it received. It does so after the commit: an event is handled again when another of its batch fails. */
const keeping = Effect.fnUntraced(function* (name: string, refuse: (detail: string) => boolean = () => false) {
  const told: Array<string> = []
  const { afterCommitTogether } = yield* Transaction
  const reader = yield* outboxReader(name, (row) =>
    refuse(detailOf(row))
      ? Effect.die("refused")
      : afterCommitTogether(Effect.sync(() => void told.push(detailOf(row))))
  )
  return { ...reader, told }
})

layer(World)("a reader of the outbox", (it) => {
  it.effect("gets every event, although transactions commit in another order than they began", () =>
    Effect.gen(function* () {
      const { drain, told } = yield* keeping("late")
      const { run } = yield* Transaction
      const late = { begun: yield* Deferred.make<void>(), end: yield* Deferred.make<void>() }
      // A row gets its sequence number when it is written, not when it becomes visible.
      const first = yield* Effect.forkChild(
        run(
          Effect.andThen(
            alert("first"),
            Effect.andThen(Deferred.succeed(late.begun, undefined), Deferred.await(late.end))
          )
        )
      )
      yield* Deferred.await(late.begun)
      const second = { begun: yield* Deferred.make<void>(), end: yield* Deferred.make<void>() }
      const other = yield* Effect.forkChild(
        run(
          Effect.andThen(
            alert("second"),
            Effect.andThen(Deferred.succeed(second.begun, undefined), Deferred.await(second.end))
          )
        )
      )
      yield* Deferred.await(second.begun)
      yield* alert("third")
      yield* drain
      expect(told).toEqual(["third"])
      yield* Deferred.succeed(second.end, undefined)
      yield* Fiber.join(other)
      yield* drain
      expect(told).toEqual(["third", "second"])
      yield* Deferred.succeed(late.end, undefined)
      yield* Fiber.join(first)
      yield* drain
      yield* drain
      expect(told).toEqual(["third", "second", "first"])
    })
  )

  it.effect("skips unreadable events, and continues at its position after a restart", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const before = yield* keeping("restarted")
      yield* before.drain
      yield* alert("a")
      yield* sql`INSERT INTO outbox (id, at, event) VALUES ('evt_unknown', now(), '{"_tag":"TideTurned"}'), ('evt_odd', now(), '{"_tag":"OpsAlerted","what":1}')`
      yield* alert("b")
      yield* before.drain
      expect(before.told.slice(-2)).toEqual(["a", "b"])
      const after = yield* keeping("restarted")
      yield* after.drain
      yield* alert("c")
      yield* after.drain
      expect(after.told).toEqual(["c"])
    })
  )

  it.effect("retries a failed event in order, and skips it after the final failure", () =>
    Effect.gen(function* () {
      let broken = true
      const { drain, told } = yield* keeping(
        "failing",
        (detail) => detail === "poison" || (detail === "soon" && broken)
      )
      yield* drain
      for (const detail of ["well", "soon", "poison", "behind"]) yield* alert(detail)
      yield* Effect.exit(drain)
      expect(told.slice(-1)).toEqual(["well"])
      broken = false
      for (let n = 0; n < outboxTriesMax; n++) yield* Effect.exit(drain)
      expect(told.slice(-3)).toEqual(["well", "soon", "behind"])
    })
  )

  it.effect("stores the effects of an event with its position, once, despite a crash", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE TABLE follow_ups (detail text)`
      let falls = 1
      const reader = yield* outboxReader("once", (row) =>
        Effect.gen(function* () {
          yield* Effect.orDie(sql`INSERT INTO follow_ups VALUES (${detailOf(row)})`)
          if (detailOf(row) === "falls" && falls-- > 0) yield* Effect.die("fell after it wrote")
        })
      )
      for (const detail of ["stands", "falls", "stands too"]) yield* alert(detail)
      yield* Effect.exit(reader.drain)
      yield* Effect.all([reader.drain, reader.drain, reader.drain], { concurrency: "unbounded" })
      const rows = yield* sql<{ detail: string }>`SELECT detail FROM follow_ups`
      expect(rows.map(({ detail }) => detail).slice(-3)).toEqual(["stands", "falls", "stands too"])
      expect(rows.filter(({ detail }) => detail.includes("falls") || detail.includes("stands"))).toHaveLength(3)
    })
  )

  it.effect("is woken by notifications, and also polls", () =>
    Effect.gen(function* () {
      const heard = yield* Deferred.make<void>()
      const { run } = yield* outboxReader("woken", (row) =>
        detailOf(row) === "silent" ? Effect.asVoid(Deferred.succeed(heard, undefined)) : Effect.void
      )
      yield* Effect.forkScoped(run)
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO outbox (id, at, event) VALUES ('evt_silent', now(), '{"_tag":"OpsAlerted","what":"test","detail":"silent"}')`
      yield* TestClock.adjust(outboxTickSec * 1_000)
      yield* Deferred.await(heard)
      const called = yield* Deferred.make<void>()
      const other = yield* outboxReader("called", (row) =>
        detailOf(row) === "called" ? Effect.asVoid(Deferred.succeed(called, undefined)) : Effect.void
      )
      yield* Effect.forkScoped(other.run)
      yield* Effect.yieldNow
      yield* alert("called")
      yield* Deferred.await(called)
    })
  )
})
