import { Clock, Effect } from "effect"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { simulationView } from "../../engine/rules/operations/Simulation.ts"
import { SimulationsWriter } from "../../engine/store/operations/Simulations.ts"
import type { SimulationAsk } from "../../schema/operations/Simulation.ts"
import { SubjectConflict } from "../../schema/Problems.ts"
import { type Act, record } from "../runtime/audit.ts"
import { command } from "../runtime/Command.ts"
import { addJob } from "../runtime/Jobs.ts"
import { Simulate } from "./protocol/Jobs.ts"

/** Operators' handlers for simulations of the coming days. */
export const simulationControl = {
  RequestSimulation: Effect.fnUntraced(function* ({
    payload: { actor, ask, reason }
  }: {
    readonly payload: Act & { readonly ask: SimulationAsk }
  }) {
    const simulations = yield* SimulationsWriter
    return yield* command({
      run: Effect.gen(function* () {
        const other = yield* simulations.underWay
        if (other !== null)
          return yield* new SubjectConflict({ detail: `The simulation ${other.id} is running. Wait for its end.` })
        const id = yield* (yield* IdSource).make("sim")
        yield* simulations.add(id, ask, actor, yield* Clock.currentTimeMillis)
        yield* addJob(Simulate, { key: id, payload: { id } })
        yield* record({ actor, reason }, "simulation.request", { type: "simulation", id }, null, ask)
        return simulationView((yield* simulations.find(id))!)
      })
    })
  })
}
