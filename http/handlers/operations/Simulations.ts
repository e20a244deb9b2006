import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { OperatorDesk } from "../../../actors/operations/protocol/Operators.ts"
import { simulationView } from "../../../engine/rules/operations/Simulation.ts"
import { simulationDays } from "../../../engine/rules/operations/limits.ts"
import { Simulations } from "../../../engine/store/operations/Simulations.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import { CurrentOperator } from "../../api/auth/Authorization.ts"
import { isDry } from "../../api/Inputs.ts"
import { OpsApi } from "../../api/OpsApi.ts"
import { send } from "../../Send.ts"
import { previewAnswer } from "../Commands.ts"

export const SimulationsHandlers = HttpApiBuilder.group(
  OpsApi,
  "simulations",
  Effect.fnUntraced(function* (handlers) {
    const desk = (yield* OperatorDesk.client)((yield* StationFacts).slug)
    return handlers.handleAll({
      list: () =>
        Effect.map(
          Effect.flatMap(Simulations, ({ list }) => list),
          (simulations) => ({ simulations: simulations.map(simulationView) })
        ),
      simulate: Effect.fnUntraced(function* ({ payload, query }) {
        const { days = simulationDays, demand = false, faults = false, reason } = payload
        const simulation = yield* send(
          desk.RequestSimulation({
            ask: { days, faults, demand },
            actor: (yield* CurrentOperator).name,
            reason: reason ?? null
          })
        )
        return isDry(query) ? previewAnswer({ simulation }, 200) : { simulation }
      })
    })
  })
)
