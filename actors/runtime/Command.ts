import { Clock, Context, Data, Effect, Schema } from "effect"
import type { Entity } from "effect/cluster"
import type { Headers } from "effect/http"
import { type Rpc, RpcClient } from "effect/rpc"
import type { Allowance } from "../../engine/rules/allowance/Allowance.ts"
import { Keys } from "../../engine/runtime/Keys.ts"
import { IdempotencyKeys } from "../../engine/store/sql/IdempotencyKeys.ts"
import type { Meters } from "../../engine/store/sql/Meters.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { RateLimited } from "../../schema/Problems.ts"
import { countedAll } from "./MessageCounters.ts"
import { commandHeaders, commandOf } from "./protocol.ts"
import { type MeterOf, spendAllowance } from "./spendAllowance.ts"

/** The message that an actor carries out now. */
interface Current {
  /** Nothing may change: the transaction is rolled back, and the answer says what would have come of it. */
  readonly isDryRun: boolean
  /** Writes the result beside the command's key; false when a repeat of the command was faster. */
  readonly keep: (result: unknown) => Effect.Effect<boolean>
  /** What a repeat of the command left. */
  readonly kept: Effect.Effect<unknown>
  /** The result of the one `command` of this message. */
  done: { readonly result: unknown } | null
}
export const CurrentCommand = Context.Reference<Current>("longwave/actors/CurrentCommand", {
  defaultValue: () => ({ isDryRun: false, keep: () => Effect.succeed(true), kept: Effect.void, done: null })
})
/** Whether the message asks what would happen. What lies outside the transaction, such as memory and other actors, is left alone then. */
export const isDryRun = Effect.map(CurrentCommand, (current) => current.isDryRun)

class TakenBack<A> extends Data.TaggedError("TakenBack")<{ readonly result: A }> {}
class Repeated extends Data.TaggedError("Repeated") {}

interface Work<A, E, R, V> {
  readonly run: Effect.Effect<A, E, R>
  /** From what the work yields to what the message answers. */
  readonly view?: (done: A) => V
}
interface After<V, E, R> {
  /**
   * Once it is committed, and never in a dry run: what lies outside the database, such as a word to another actor. It yields the answer;
   * a repeat gets what was committed.
   */
  readonly after: (result: V) => Effect.Effect<V, E, R>
}
interface Spending {
  /** Whose allowances are spent. */
  readonly by: string
  readonly allowances: ReadonlyArray<Allowance>
  readonly meter?: MeterOf
}
/**
 * Carries out the command of a message: spends the allowances, runs the work and keeps its result under the caller's Idempotency-Key, all
 * in one transaction, so that a repeat gets the result and no second effect even when the process was killed before it answered. A dry
 * run does the same and is rolled back, so both are judged by the same rules. Once in a message, and its result is the message's answer.
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
  // Without an allowance there is no limit to reach.
}) as never

type Behaviour = (message: { readonly headers: Headers.Headers }) => Effect.Effect<unknown, unknown, unknown>

/**
 * Every behaviour of an actor: counted, and with the command that its message belongs to. A message that took effect before, under the
 * same command, is answered with what came of it.
 */
export const behaviours = Effect.fnUntraced(function* <
  Type extends string,
  Rpcs extends Rpc.Any,
  H extends Entity.HandlersFrom<Rpcs>
>(entity: Entity.Entity<Type, Rpcs>, all: H): Effect.fn.Return<H, never, IdempotencyKeys | Keys> {
  const keys = yield* Keys
  const store = yield* IdempotencyKeys

  const carriedOut = (tag: string, behave: Behaviour): Behaviour => {
    const rpc = entity.protocol.requests.get(tag) as unknown as {
      readonly successSchema: Schema.Codec<unknown, unknown>
    }
    const success = Schema.fromJsonString(Schema.toCodecJson(rpc.successSchema))
    const encode = Schema.encodeEffect(success)
    const decode = Schema.decodeEffect(success)

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
          // What an actor asks of others on the way is part of the dry run; the key is this message's own.
          RpcClient.withHeaders(commandHeaders({ dryRun, id: null, isRepeat: false, isSecret: false, part: null }))
        )
        if (current.done !== null && current.done.result !== answered)
          return yield* Effect.die(new Error(`${name} answers something else than its command yields`))
        return answered
      })
  }
  return countedAll(
    entity.type,
    Object.fromEntries(
      Object.entries(all as unknown as Record<string, Behaviour>).map(([tag, behave]) => [tag, carriedOut(tag, behave)])
    ) as never
  )
})
