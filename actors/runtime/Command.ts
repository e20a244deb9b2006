import { Clock, Context, Data, Effect, Function, Schema } from "effect"
import type { Entity } from "effect/cluster"
import type { Headers } from "effect/http"
import { type Rpc, RpcClient } from "effect/rpc"
import type { Allowance, MeterOf } from "../../engine/rules/allowance/Allowance.ts"
import { Keys } from "../../engine/runtime/Keys.ts"
import { IdempotencyKeys } from "../../engine/store/sql/IdempotencyKeys.ts"
import type { Meters } from "../../engine/store/sql/Meters.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { RateLimited } from "../../schema/Problems.ts"
import { countAll } from "./MessageCounters.ts"
import { commandHeaders, commandOf } from "./protocol.ts"
import { spendAllowance } from "./spendAllowance.ts"

/** The message that the actor is handling. */
interface Current {
  /** Rolls the transaction back. The answer is the result it would have had. */
  readonly isDryRun: boolean
  /** Stores the result under the command's key. False when a repeat of the command stored its result first. */
  readonly keep: (result: unknown) => Effect.Effect<boolean>
  /** The stored result of a repeat. */
  readonly kept: Effect.Effect<unknown>
  /** The result of the one `command` of this message. */
  done: { readonly result: unknown } | null
}
export const CurrentCommand = Context.Reference<Current>("longwave/actors/CurrentCommand", {
  defaultValue: () => ({ isDryRun: false, keep: () => Effect.succeed(true), kept: Effect.void, done: null })
})
/** True for a dry run. Its handler must leave memory and other actors alone, which a rollback doesn't restore. */
export const isDryRun = Effect.map(CurrentCommand, (current) => current.isDryRun)

class TakenBack<A> extends Data.TaggedError("TakenBack")<{ readonly result: A }> {}
class Repeated extends Data.TaggedError("Repeated") {}

interface Work<A, E, R, V> {
  readonly run: Effect.Effect<A, E, R>
  /** Maps the result of the work to the message's answer. */
  readonly view?: (done: A) => V
}
interface After<V, E, R> {
  /**
   * Runs after the commit, never in a dry run. For effects outside the database, such as messages to other actors. Yields the answer; a
   * repeat gets the committed result instead.
   */
  readonly after: (result: V) => Effect.Effect<V, E, R>
}
interface Spending {
  /** The agent or listener whose allowances are spent. */
  readonly by: string
  readonly allowances: ReadonlyArray<Allowance>
  readonly meter?: MeterOf
}
/**
 * Runs the command of a message in one transaction: spends the allowances, runs the work, stores the result under the caller's
 * Idempotency-Key. A repeat gets the stored result and has no second effect, even if the process was killed before it answered. A dry run
 * does the same and rolls back. Call it at most once per message; its result must be the message's answer. Fails with RateLimited when an
 * allowance is spent.
 */
export const command: {
  <A, E, R, V = A, E2 = never, R2 = never>(
    work: Work<A, E, R, V> & After<V, E2, R2> & Spending
  ): Effect.Effect<V, E | E2 | RateLimited, R | R2 | Transaction | Meters>
  <A, E, R, V = A, E2 = never, R2 = never>(
    work: Work<A, E, R, V> & After<V, E2, R2>
  ): Effect.Effect<V, E | E2, R | R2 | Transaction>
  <A, E, R, V = A>(work: Work<A, E, R, V> & Spending): Effect.Effect<V, E | RateLimited, R | Transaction | Meters>
  <A, E, R, V = A>(work: Work<A, E, R, V>): Effect.Effect<V, E, R | Transaction>
} = Effect.fnUntraced(function* <A, E, R, V, E2, R2>({
  after = Effect.succeed,
  allowances = [],
  by = "",
  meter = "agent",
  run,
  view
}: Work<A, E, R, V> & Partial<After<V, E2, R2> & Spending>) {
  const current = yield* CurrentCommand
  const transaction = yield* Transaction
  const result = yield* transaction
    .run(
      Effect.gen(function* () {
        for (const allowance of allowances) yield* spendAllowance(allowance, by, meter)
        const done = yield* run
        const result = view === undefined ? (done as unknown as V) : view(done)
        if (current.isDryRun) return yield* new TakenBack({ result })
        if (!(yield* current.keep(result))) return yield* new Repeated()
        return result
      })
    )
    .pipe(
      Effect.flatMap(after),
      Effect.catchIf(
        (error): error is TakenBack<V> => error instanceof TakenBack,
        ({ result }) => Effect.succeed(result)
      ),
      Effect.catchIf(
        (error): error is Repeated => error instanceof Repeated,
        () => Effect.map(current.kept, (kept) => kept as V)
      )
    )
  current.done = { result }
  return result
  // The overloads add RateLimited only for commands with allowances.
}) as never

/** Compiled once for each schema: compiled at every activation of an actor, they would take more memory than all else that it holds. */
const storedResult = Function.memoize((success: Schema.Codec<unknown, unknown>) => {
  const json = Schema.fromJsonString(Schema.toCodecJson(success))
  return { encode: Schema.encodeEffect(json), decode: Schema.decodeEffect(json) }
})

type Behaviour = (message: { readonly headers: Headers.Headers }) => Effect.Effect<unknown, unknown, unknown>

/**
 * Wraps all handlers of an actor: counts each message and provides its command. A message that already took effect under the same command
 * is answered with the stored result.
 */
export const behaviours = Effect.fnUntraced(function* <
  Type extends string,
  Rpcs extends Rpc.Any,
  H extends Entity.HandlersFrom<Rpcs>
>(entity: Entity.Entity<Type, Rpcs>, all: H): Effect.fn.Return<H, never, IdempotencyKeys | Keys> {
  const keys = yield* Keys
  const store = yield* IdempotencyKeys

  const carryOut = (tag: string, behave: Behaviour): Behaviour => {
    const rpc = entity.protocol.requests.get(tag) as unknown as {
      readonly successSchema: Schema.Codec<unknown, unknown>
    }
    const { decode, encode } = storedResult(rpc.successSchema)

    return (message) =>
      Effect.gen(function* () {
        const { dryRun, id, isRepeat, isSecret, part } = commandOf(message.headers)
        const name = `${entity.type}.${tag}${part === null ? "" : `.${part}`}`
        const kept =
          id === null
            ? Effect.succeed(null)
            : Effect.flatMap(store.result(id.scopeSha256, name), (sealed) =>
                sealed === null
                  ? Effect.succeed(null)
                  : Effect.map(Effect.orDie(decode(keys.open(sealed, id.scopeSha256))), (result) => ({ result }))
              )
        const before = isRepeat ? yield* kept : null
        if (before !== null) return before.result
        const current: Current = {
          isDryRun: dryRun,
          keep: (result) =>
            id === null
              ? Effect.succeed(true)
              : Effect.gen(function* () {
                  const sealed = keys.seal(yield* Effect.orDie(encode(result)), id.scopeSha256)
                  return yield* store.keepResult(id, name, { sealed, isSecret }, yield* Clock.currentTimeMillis)
                }),
          kept: Effect.map(kept, (found) => found?.result),
          done: null
        }
        const answered = yield* behave(message).pipe(
          Effect.provideService(CurrentCommand, current),
          // Messages sent to other actors inherit the dry run. The key belongs to this message only.
          RpcClient.withHeaders(commandHeaders({ dryRun, id: null, isRepeat: false, isSecret: false, part: null }))
        )
        if (current.done !== null && current.done.result !== answered)
          return yield* Effect.die(new Error(`${name} must answer the result of its command`))
        return answered
      })
  }
  return countAll(
    entity.type,
    Object.fromEntries(
      Object.entries(all as unknown as Record<string, Behaviour>).map(([tag, behave]) => [tag, carryOut(tag, behave)])
    ) as never
  )
})
