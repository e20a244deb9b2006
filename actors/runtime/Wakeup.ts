import { Effect, Queue } from "effect"
import { quietly, superviseForEver } from "./Supervision.ts"

/** Calls a worker of this process; one that is called while it works looks once more. */
export interface Wakeup {
  readonly ring: Effect.Effect<void>
  readonly heard: Effect.Effect<void>
}

export const makeWakeup = Effect.map(Queue.sliding<void>(1), (calls): Wakeup => ({
  ring: Effect.asVoid(Queue.offer(calls, undefined)),
  heard: Queue.take(calls)
}))

/** A worker makes a round whenever it is called, and by itself every so many seconds for what was left. A round that fails is left out. */
export const work = <E, R>(
  name: string,
  { heard }: Pick<Wakeup, "heard">,
  tickSec: number,
  round: Effect.Effect<void, E, R>
) => {
  const wait = Effect.raceFirst(heard, Effect.sleep(`${tickSec} seconds`))
  return Effect.asVoid(
    Effect.forkScoped(
      superviseForEver(
        name,
        tickSec * 1_000,
        Effect.forever(Effect.andThen(quietly(`${name}: a round was left out`, round), wait))
      )
    )
  )
}
