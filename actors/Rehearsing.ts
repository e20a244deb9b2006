import { Data, Effect } from "effect"
import { Transaction } from "../engine/store/Transaction.ts"

class Rehearsed<A> extends Data.TaggedError("Rehearsed")<{ readonly value: A }> {}

/** Does it, all or nothing; as a rehearsal it does all of it and then takes it back, so that both are judged by the same rules. */
export const performed = Effect.fnUntraced(function*<A, E, R>(work: Effect.Effect<A, E, R>, dryRun: boolean) {
  const { run } = yield* Transaction
  if (!dryRun) return yield* run(work)
  return yield* run(Effect.flatMap(work, (value) => Effect.fail(new Rehearsed({ value })))).pipe(
    Effect.catchIf((error): error is Rehearsed<A> => error instanceof Rehearsed, ({ value }) => Effect.succeed(value))
  )
})
