import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { receiptsOf } from "../../engine/rules/PlanReceipts.ts"
import { airIdOf } from "../../engine/rules/Sequence.ts"
import { Plans } from "../../engine/store/Plans.ts"
import { PlansForAir } from "../../engine/store/PlansForAir.ts"
import { DjShowPlanNotFound } from "../../schema/Problems.ts"
import { Api } from "../api/Api.ts"
import { CurrentAgent } from "../api/Authorization.ts"

const iso = (ms: number): string => new Date(ms).toISOString()

export const PlanReceiptsHandlers = HttpApiBuilder.group(Api, "planReceipts", (handlers) => handlers.handle("asRun", Effect.fn(function*({ params }) {
  const air = yield* PlansForAir
  const plan = yield* (yield* Plans).find(params.id)
  if (plan === null || plan.agentId !== (yield* CurrentAgent).agent.id) return yield* new DjShowPlanNotFound({ detail: `None of your plans has the id ${params.id}.` })
  const items = receiptsOf(plan, yield* air.heard(plan.items.map(({ id }) => airIdOf(plan.id, id))), yield* air.notesOf(plan.id))
  const { endMs, id: planId, startMs, status, statusReason } = plan
  return { planId, status, statusReason, occurrenceStart: iso(startMs), occurrenceEnd: iso(endMs), airedItems: items.filter(({ aired }) => aired).length, items }
})))
