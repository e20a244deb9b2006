import { Effect } from "effect"
import { CurrentAirOwnership } from "../../engine/ports/AirOwnership.ts"

/** Runs work that one process of a station does at a time: while this one has the air, and anew each time it gets it. */
export const whileHoldingAir = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<never, E, R> =>
  Effect.flatMap(CurrentAirOwnership, (ownership) => {
    const turns = (to: boolean) =>
      Effect.callback<void>((resume) => {
        if (ownership.holds() === to) return resume(Effect.void)
        const unlisten = ownership.listen((holds) => {
          if (holds !== to) return
          unlisten()
          resume(Effect.void)
        })
        return Effect.sync(unlisten)
      })
    return Effect.forever(Effect.andThen(turns(true), Effect.raceFirst(Effect.asVoid(work), turns(false))))
  })
