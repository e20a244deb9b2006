import { Clock, Effect } from "effect"

/**
 * Work that is leased stays its worker's for as long as it takes, and is somebody else's soon after that one died: the lease is
 * short, and prolonged again and again.
 */
export const renewLease =
  (leaseMs: number, prolong: (nowMs: number) => Effect.Effect<void>) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.raceFirst(
      work,
      Effect.forever(
        Effect.andThen(Effect.sleep(leaseMs / 3), Effect.ignoreCause(Effect.flatMap(Clock.currentTimeMillis, prolong)))
      )
    )
