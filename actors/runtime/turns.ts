import { Effect, Semaphore } from "effect"

/** Runs work of each id in turn, and work of different ids at once. */
export const makeTurns = () => {
  const turns = new Map<string, { readonly turn: Semaphore.Semaphore; messages: number }>()
  return <A, E, R>(id: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      const found = turns.get(id) ?? { turn: Semaphore.makeUnsafe(1), messages: 0 }
      turns.set(id, found)
      found.messages++
      return Effect.ensuring(
        found.turn.withPermit(work),
        Effect.sync(() => {
          if (--found.messages === 0) turns.delete(id)
        })
      )
    })
}
