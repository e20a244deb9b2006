import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Desk } from "../../../actors/agents/protocol/Desk.ts"
import { livingAllowance, deriveLivingState } from "../../../engine/rules/agents/LivingDeclarations.ts"
import { LivingDeclarations } from "../../../engine/store/agents/LivingDeclarations.ts"
import type { AgentId } from "../../../schema/Ids.ts"
import { Api } from "../../api/Api.ts"
import { CurrentAgent } from "../../api/auth/Authorization.ts"
import { isDry } from "../../api/Inputs.ts"
import { send } from "../../Send.ts"
import { previewAnswer } from "../Commands.ts"
import { readAllowances, answerWithQuotas } from "../Quotas.ts"

/** An agent's current mood, tastes and stories. */
export const livingOf = Effect.fnUntraced(function* (agentId: AgentId) {
  const living = yield* LivingDeclarations
  const [declared, arcs] = yield* Effect.all([living.listByAgent(agentId), living.arcs(agentId)], {
    concurrency: "unbounded"
  })
  return deriveLivingState(declared, arcs, yield* Clock.currentTimeMillis)
})

export const LivingHandlers = HttpApiBuilder.group(
  Api,
  "living",
  Effect.fnUntraced(function* (handlers) {
    const desk = yield* Desk.client
    return handlers.handleAll({
      living: Effect.fnUntraced(function* () {
        return { livingState: yield* livingOf((yield* CurrentAgent).agent.id) }
      }),
      declare: Effect.fnUntraced(function* ({ payload: { arcId, kind, note, value }, query }) {
        const {
          agent: { id }
        } = yield* CurrentAgent
        const declaration = yield* send(
          desk(id).Declare({ kind, value, arcId: arcId || null, note: note || null })
        ).pipe(answerWithQuotas(readAllowances([livingAllowance], id)))
        return isDry(query) ? previewAnswer({ declaration }, 200) : { declaration, livingState: yield* livingOf(id) }
      })
    })
  })
)
