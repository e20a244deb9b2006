import { Clock, Effect, Ref } from "effect"
import { Rehearsal } from "../../engine/ports/Rehearsal.ts"
import { simulationTriesMax } from "../../engine/rules/operations/limits.ts"
import { SimulationsWriter } from "../../engine/store/operations/Simulations.ts"
import { backOff, jobHandler } from "../runtime/Jobs.ts"
import { Simulate } from "./protocol/Jobs.ts"

/** A killed try begins anew: a simulation changes nothing. */
const simulateWeek = jobHandler(Simulate, {
  triesMax: simulationTriesMax,
  restMs: backOff(30_000, 300_000),
  work: Effect.fnUntraced(function* ({ id }) {
    const simulations = yield* SimulationsWriter
    const found = yield* simulations.find(id)
    if (found === null || found.state === "done") return
    const reached = yield* Ref.make(0)
    const told = Effect.forever(
      Effect.andThen(
        Effect.flatMap(Ref.get(reached), (percent) => simulations.progress(id, percent)),
        Effect.sleep("2 seconds")
      )
    )
    const { isKept, report } = yield* Effect.raceFirst(
      Effect.mapError(
        (yield* Rehearsal).run(found, (percent) => Effect.runSync(Ref.set(reached, percent))),
        ({ detail }) => new Error(detail)
      ),
      told
    )
    yield* simulations.markDone(id, isKept, report, yield* Clock.currentTimeMillis)
  }),
  giveUp: ({ id }, why) =>
    Effect.gen(function* () {
      yield* (yield* SimulationsWriter).markFailed(id, why, yield* Clock.currentTimeMillis)
    })
})

export const simulationJobs = [simulateWeek] as const
