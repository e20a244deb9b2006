import { Effect, Semaphore } from "effect"

/** Runs work of each id in turn, and work of different ids at once. */
export const makeTurns = () => {
  const turns = new Map<string, { readonly turn: Semaphore.Semaphore; waiting: number }>()
  return <A, E, R>(id: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      let taken: { readonly turn: Semaphore.Semaphore; waiting: number } | undefined
      const take = Effect.suspend(() => {
        taken = turns.get(id) ?? { turn: Semaphore.makeUnsafe(1), waiting: 0 }
        turns.set(id, taken)
        taken.waiting++
        return taken.turn.withPermit(work)
      })
      // Work that was interrupted before it asked for its turn has none to give back.
      const giveBack = Effect.sync(() => {
        if (taken !== undefined && --taken.waiting === 0) turns.delete(id)
      })
      return Effect.ensuring(take, giveBack)
    })
}
