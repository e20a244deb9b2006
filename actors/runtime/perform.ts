import { Data, Effect } from "effect"
import { Transaction } from "../../engine/store/sql/Transaction.ts"

class TakenBack<A> extends Data.TaggedError("TakenBack")<{ readonly value: A }> {}

/** Runs all of the work in one transaction or none of it. A dry run does all of it and rolls it back, so that both are judged by the same rules. */
export const perform = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>, dryRun: boolean) {
  const { run } = yield* Transaction
  if (!dryRun) return yield* run(work)
  return yield* run(Effect.flatMap(work, (value) => Effect.fail(new TakenBack({ value })))).pipe(
    Effect.catchIf(
      (error): error is TakenBack<A> => error instanceof TakenBack,
      ({ value }) => Effect.succeed(value)
    )
  )
})
