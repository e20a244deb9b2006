import { Effect } from "effect"
import { previewOf } from "../engine/rules/PlanPreview.ts"
import { PlanStocks } from "../engine/store/PlanStocks.ts"
import type { PlanRecord } from "../engine/store/Plans.ts"
import type { Booked } from "../schema/Plan.ts"
import { blockOf, fillDraft } from "./ProducerMusic.ts"
import { type DraftCommand, drafted, shown } from "./ProducerPlans.ts"
import { airtimeOf, submitDraft } from "./ProducerSubmission.ts"
import { performed } from "./Rehearsing.ts"

const previewed = Effect.fnUntraced(function*(plan: PlanRecord) {
  const stock = yield* (yield* PlanStocks).of(plan.agentId, plan.items)
  return previewOf(plan, stock, { overrunPolicy: (yield* blockOf(plan))?.overrunPolicy ?? "trim", airtime: yield* airtimeOf(plan.agentId) })
})

/**
 * Takes a run and goes on as far as it is asked. Each step stands by itself: where a later one is refused the draft is there, and
 * the refusal names it; the same command again goes on from where the first one stopped.
 */
export const book = Effect.fn("Producer.book")(function*({ dryRun, orchestrate, ...command }: DraftCommand & { readonly orchestrate: "draft" | "fill" | "submit" }) {
  const all = Effect.gen(function*() {
    const draft = yield* drafted({ ...command, dryRun: false })
    if (orchestrate === "draft" || draft.status !== "draft") return { plan: draft, preview: null }
    const filled = yield* Effect.catchTag(fillDraft(draft), "PlanNotEditable", Effect.die)
    const preview = yield* previewed(filled.plan)
    return orchestrate === "fill" ? { plan: filled.plan, preview } : { plan: yield* submitDraft(filled.plan), preview }
  })
  const { plan, preview } = yield* dryRun ? performed(all, true) : all
  const view = yield* shown(plan)
  const booked: Booked = { plan: view, booking: { blockId: plan.blockId, occurrenceStart: view.occurrenceStart, occurrenceEnd: view.occurrenceEnd, title: plan.title }, preview }
  return booked
})
