import { type Context, Effect } from "effect"

type Joined<I, Method> = Method extends (...asked: infer Asked) => Effect.Effect<infer A, infer E, infer R>
  ? (...asked: Asked) => Effect.Effect<A, E, R | I>
  : never
/**
 * One method of a subject's writer, exported by its `inTransaction.ts`. Other subjects call it in their own transaction, so that both
 * changes are stored together.
 */
export const methodOf = <I, S, Name extends keyof S>(writer: Context.Key<I, S>, name: Name): Joined<I, S[Name]> =>
  ((...asked: ReadonlyArray<unknown>) =>
    Effect.flatMap(
      writer as Context.Key<I, Record<Name, (...asked: ReadonlyArray<unknown>) => Effect.Effect<unknown>>>,
      (methods) => methods[name](...asked)
    )) as never
