import { Effect } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import type { AgentId } from "../../schema/Ids.ts"
import { command } from "../runtime/Command.ts"
import { statelessLayer } from "../runtime/statelessLayer.ts"
import { fillAhead, fillPlan, blockOf, fillDraft } from "./ProducerMusic.ts"
import { createPlan, revisePlan, type DraftCommand, bookDraft, render } from "./ProducerPlans.ts"
import { planReview } from "./PlanReview.ts"
import { saveAsShow } from "./ProducerShows.ts"
import { cancelAllPlans, cancelPlan, settlePlan, submitPlan, airtimeOf, submitDraft } from "./ProducerSubmission.ts"
import { producerTopicsLive } from "./ProducerTopics.ts"
import { topicReview } from "./TopicReview.ts"
import { Producer } from "./protocol/Producer.ts"
import { ownedBy, reviewHandlers } from "../moderation/reviewHandlers.ts"
import { PlanStocks } from "../../engine/store/programmes/PlanStocks.ts"
import { previewOf } from "../../engine/rules/programmes/PlanPreview.ts"
import type { PlanRecord } from "../../schema/programmes/Plan.ts"

const readPreview = Effect.fnUntraced(function* (plan: PlanRecord) {
  const stock = yield* (yield* PlanStocks).find(plan.agentId, plan.items)
  return previewOf(plan, stock, {
    overrunPolicy: (yield* blockOf(plan))?.overrunPolicy ?? "trim",
    airtime: yield* airtimeOf(plan)
  })
})

/** Books a run and continues as far as `orchestrate` says. If the submission is refused, the draft stays and `refusal` gives the reason. */
const book = Effect.fnUntraced(function* ({
  orchestrate,
  origin,
  ...asked
}: DraftCommand & { readonly orchestrate: "draft" | "fill" | "submit"; readonly origin: string | null }) {
  const all = Effect.gen(function* () {
    const draft = yield* bookDraft(asked, origin)
    if (orchestrate === "draft" || draft.status !== "draft") return { plan: draft, preview: null, refusal: null }
    const { plan } = yield* Effect.catchTag(fillDraft(draft), "PlanNotEditable", Effect.die)
    const preview = yield* readPreview(plan)
    if (orchestrate === "fill") return { plan, preview, refusal: null }
    return yield* Effect.match(submitDraft(plan), {
      onFailure: (refusal) => ({ plan, preview, refusal }),
      onSuccess: (submitted) => ({ plan: submitted, preview, refusal: null })
    })
  })
  return yield* command({
    run: Effect.gen(function* () {
      const { plan, preview, refusal } = yield* all
      const view = yield* render(plan)
      const { occurrenceEnd, occurrenceStart } = view
      const booking = { blockId: plan.blockId, occurrenceStart, occurrenceEnd, title: plan.title }
      return { booked: { plan: view, booking, preview }, refusal }
    })
  })
})

/** One agent's plans and topics, changed one at a time. */
export const ProducerLive = statelessLayer(
  Producer,
  Effect.map(
    StationConfig,
    ({ stationSlug }) =>
      (agentId: AgentId) =>
        Producer.of({
          ...producerTopicsLive,
          Book: ({ payload }) => book(payload),
          CreatePlan: ({ payload }) => createPlan(payload),
          RevisePlan: ({ payload }) => revisePlan(payload),
          FillMusic: ({ payload }) => fillPlan(payload),
          Submit: ({ payload }) => submitPlan(payload),
          CancelPlan: ({ payload }) => cancelPlan(payload),
          SaveAsShow: ({ payload }) => saveAsShow(payload),
          FillAhead: ({ payload }) => fillAhead(agentId, payload.planId),
          SettlePlan: ({ payload }) => settlePlan(agentId, payload.planId),
          CancelAllPlans: ({ payload }) => cancelAllPlans(agentId, payload.reason),
          ...reviewHandlers([planReview, topicReview], ownedBy(agentId, stationSlug))
        })
  )
)
