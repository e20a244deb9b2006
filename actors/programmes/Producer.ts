import { Effect } from "effect"
import { Entity } from "effect/cluster"
import { StationConfig } from "../../engine/runtime/Config.ts"
import type { AgentId } from "../../schema/Ids.ts"
import { countedAll } from "../runtime/MessageCounters.ts"
import { transient } from "../runtime/EntityKinds.ts"
import { fillPlan, blockOf, fillDraft } from "./ProducerMusic.ts"
import { createPlan, revisePlan, type DraftCommand, drafted, shown } from "./ProducerPlans.ts"
import { planReview } from "./PlanReview.ts"
import { saveAsShow } from "./ProducerShows.ts"
import { cancelAllPlans, cancelPlan, settlePlan, submitPlan, airtimeOf, submitDraft } from "./ProducerSubmission.ts"
import { producerTopicsLive } from "./ProducerTopics.ts"
import { topicReview } from "./TopicReview.ts"
import { Producer } from "./protocol/Producer.ts"
import { reviewHandlers } from "../moderation/Reviews.ts"
import type { PlanRecord } from "../../engine/store/programmes/Plans.ts"
import { PlanStocks } from "../../engine/store/programmes/PlanStocks.ts"
import { previewOf } from "../../engine/rules/programmes/PlanPreview.ts"
import { perform } from "../runtime/perform.ts"
import type { Booked } from "../../schema/programmes/Plan.ts"

const previewed = Effect.fnUntraced(function* (plan: PlanRecord) {
  const stock = yield* (yield* PlanStocks).of(plan.agentId, plan.items)
  return previewOf(plan, stock, {
    overrunPolicy: (yield* blockOf(plan))?.overrunPolicy ?? "trim",
    airtime: yield* airtimeOf(plan)
  })
})

/**
 * Takes a run and goes on as far as it is asked. Each step stands by itself: where a later one is refused the draft is there, and
 * the refusal names it; the same command again goes on from where the first one stopped.
 */
export const book = Effect.fn("Producer.book")(function* ({
  dryRun,
  orchestrate,
  ...command
}: DraftCommand & { readonly orchestrate: "draft" | "fill" | "submit" }) {
  const all = Effect.gen(function* () {
    const draft = yield* drafted({ ...command, dryRun: false })
    if (orchestrate === "draft" || draft.status !== "draft") return { plan: draft, preview: null }
    const filled = yield* Effect.catchTag(fillDraft(draft), "PlanNotEditable", Effect.die)
    const preview = yield* previewed(filled.plan)
    return orchestrate === "fill" ? { plan: filled.plan, preview } : { plan: yield* submitDraft(filled.plan), preview }
  })
  const { plan, preview } = yield* dryRun ? perform(all, true) : all
  const view = yield* shown(plan)
  const booked: Booked = {
    plan: view,
    booking: {
      blockId: plan.blockId,
      occurrenceStart: view.occurrenceStart,
      occurrenceEnd: view.occurrenceEnd,
      title: plan.title
    },
    preview
  }
  return booked
})

/** An agent as a producer: its mailbox is where its plans are made, handed in and taken back, one after the other. */
export const ProducerLive = Producer.toLayer(
  Effect.gen(function* () {
    const agentId = (yield* Entity.CurrentAddress).entityId as unknown as AgentId
    // What the station itself asks for has its name in an agent's place, and no owner.
    const ownerId = agentId === (yield* StationConfig).stationSlug ? null : agentId
    return Producer.of(
      countedAll("Producer", {
        ...producerTopicsLive,
        Book: ({ payload }) => book(payload),
        CreatePlan: ({ payload }) => createPlan(payload),
        RevisePlan: ({ payload }) => revisePlan(payload),
        FillMusic: ({ payload }) => fillPlan(payload),
        Submit: ({ payload }) => submitPlan(payload),
        CancelPlan: ({ payload }) => cancelPlan(payload),
        SaveAsShow: ({ payload }) => saveAsShow(payload),
        SettlePlan: ({ payload }) => settlePlan(agentId, payload.planId),
        CancelAllPlans: ({ payload }) => cancelAllPlans(agentId, payload.reason),
        ...reviewHandlers([planReview, topicReview], (owner) => owner === ownerId)
      })
    )
  }),
  transient
)
