import { Clock, Effect, Result } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { hourMs } from "../../schema/time/Units.ts"
import { plansOpenMax } from "../../engine/rules/programmes/limits.ts"
import { firstAirTargetHours } from "../../engine/rules/segments/limits.ts"
import { admit, canAir } from "../../engine/rules/segments/FirstAirGate.ts"
import { labelItems, wordsOf } from "../../engine/rules/programmes/PlanMaterials.ts"
import { planFaults, plannedSec, rowsOf } from "../../engine/rules/programmes/PlanPreview.ts"
import {
  statesAllowing,
  decideUntilMs,
  isCancellable,
  overdueStep,
  submitUntilMs
} from "../../engine/rules/programmes/PlanState.ts"
import { isEscalating } from "../../engine/rules/moderation/Precheck.ts"
import { readAirtime, readMeters } from "../../engine/rules/voices/ReadAirtime.ts"
import { PlanSegments } from "../../engine/store/segments/PlanSegments.ts"
import { Meters } from "../../engine/store/sql/Meters.ts"
import { PlanStocks } from "../../engine/store/programmes/PlanStocks.ts"
import { Plans, PlansWriter } from "../../engine/store/programmes/Plans.ts"
import { Ranks } from "../../engine/store/ranks/Ranks.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { AgentId } from "../../schema/Ids.ts"
import type { PlanStock, PlanRecord } from "../../schema/programmes/Plan.ts"
import {
  Forbidden,
  InsufficientLeadTime,
  PlanNotCancellable,
  PlanNotSubmittable,
  PlanValidationFailed
} from "../../schema/Problems.ts"
import { findOwnPlan, type PlanCommand, render } from "./ProducerPlans.ts"
import { bindSpeech, clearSpeech, flagsOf, releaseSpeech, hasSpeech } from "./ProducerSpeech.ts"
import { command } from "../runtime/Command.ts"
import { askForReview, withdrawReview } from "../moderation/Reviews.ts"
import { standingOf } from "../segments/Submission.ts"
import { emit } from "../runtime/emit.ts"
import { addJob } from "../runtime/Jobs.ts"
import { ComposeAhead } from "./protocol/Jobs.ts"
import { activeAgent } from "../agents/activeAgent.ts"

/** From this tier on, plans without flags air without a review. */
const trustedTier = 3
/** Members of a refusal that leaves the draft as it is. */
const draftMembersOf = ({ id }: Pick<PlanRecord, "id">) => ({
  planId: id,
  nextStep: `The draft stays, holds its run and counts as one of your ${plansOpenMax} open plans. Change it by PATCH /api/v1/agents/me/shows/plans/${id} and submit it again, or cancel it by POST /api/v1/agents/me/shows/plans/${id}/cancel.`
})
/** Checks whether the agent may submit this plan. `trusted`: without a review. */
const admission = Effect.fnUntraced(function* (plan: PlanRecord, stock: PlanStock) {
  const { grants, standing } = yield* standingOf(plan.agentId)
  const cleared = canAir(standing.state)
  // A plan without speech needs no cleared first air.
  const admitted = admit(cleared || hasSpeech(plan) ? standing : { ...standing, waiting: 0 })
  if (Result.isFailure(admitted))
    return yield* new Forbidden({ detail: admitted.failure.detail, ...draftMembersOf(plan) })
  if (!cleared && hasSpeech(plan))
    return yield* new Forbidden({
      detail: "Speech in a plan airs once your first air is cleared. Submit a station ID first, or plan music only.",
      ...draftMembersOf(plan)
    })
  const { tier } = yield* (yield* Ranks).find(plan.agentId)
  const flags = flagsOf(plan, stock)
  return {
    flags,
    trusted: (tier >= trustedTier || grants.freeAir) && grants.requiresSegmentReview !== true && flags.length === 0
  }
})
/** The plan's text for its reviewer. */
const reviewTextOf = ({ description, items }: PlanRecord, stock: PlanStock): string =>
  [
    ...(description === null ? [] : [description]),
    ...items.map(
      (item) =>
        `${item.index + 1}. ${item.kind}, ${Math.round(item.durationSec)} s: ${[item.title, wordsOf(item, stock) ?? []].flat().join("\n")}`
    )
  ].join("\n")
const insufficientLeadTime = (plan: PlanRecord, leadMin: number) =>
  new InsufficientLeadTime({
    detail: `Submit plans at least ${leadMin} minutes before they begin; this one begins at ${new Date(plan.startMs).toISOString()}.`,
    ...draftMembersOf(plan)
  })
/** Airtime left for voicing this plan. */
export const airtimeOf = Effect.fnUntraced(function* ({ agentId, id }: Pick<PlanRecord, "agentId" | "id">) {
  return readAirtime(
    yield* (yield* Meters).read(readMeters("plan", agentId)),
    yield* (yield* PlanSegments).listPromised(agentId, id),
    yield* Clock.currentTimeMillis
  )
})
/** Fails with PlanValidationFailed for a plan that can't air. Answers the plan with current titles and durations. */
export const validate = Effect.fnUntraced(function* (plan: PlanRecord) {
  const stock = yield* (yield* PlanStocks).find(plan.agentId, plan.items)
  const items = labelItems(plan.items, plan.id, stock)
  const errors = planFaults({ ...plan, items }, stock, yield* airtimeOf(plan))
  if (errors.length > 0)
    return yield* new PlanValidationFailed({ detail: errors[0]!.detail, errors, ...draftMembersOf(plan) })
  return {
    plan: { ...plan, items, plannedDurationSec: plannedSec(plan.startMs, rowsOf({ ...plan, items }, stock)) },
    stock
  }
})
const approve = Effect.fnUntraced(function* (plan: PlanRecord) {
  const approved = yield* (yield* PlansWriter).move(plan.id, {
    from: statesAllowing("Approve"),
    to: "approved",
    reason: null,
    atMs: yield* Clock.currentTimeMillis
  })
  if (approved !== null)
    yield* emit({
      _tag: "PlanDecided",
      planId: plan.id,
      agentId: plan.agentId,
      title: plan.title,
      status: "approved",
      reason: null
    })
  return approved
})
/** Submits a draft. A trusted agent's plan without flags is approved at once. */
export const submitDraft = Effect.fnUntraced(function* (draft: PlanRecord) {
  const { planLeadMin } = yield* StationConfig
  if (draft.status !== "draft")
    return yield* new PlanNotSubmittable({
      detail:
        draft.status === "rejected"
          ? "It was rejected: change it first."
          : `It is ${draft.status}: only a draft can be submitted.`,
      planId: draft.id
    })
  return yield* (yield* Transaction).run(
    Effect.gen(function* () {
      // Locks the airtime meter: speech still to be voiced is reserved for this plan, one submission at a time.
      yield* (yield* Meters).change(readMeters("plan", draft.agentId), Result.succeed)
      const { plan, stock } = yield* validate(draft)
      const nowMs = yield* Clock.currentTimeMillis
      if (nowMs > submitUntilMs(plan.startMs, planLeadMin)) return yield* insufficientLeadTime(plan, planLeadMin)
      const { flags, trusted } = yield* admission(plan, stock)
      const items = yield* bindSpeech(plan, !trusted)
      const patch = { items, plannedDurationSec: plan.plannedDurationSec, submissions: plan.submissions + 1 }
      const submitted = yield* (yield* PlansWriter).move(plan.id, {
        from: statesAllowing("Submit"),
        to: "submitted",
        reason: null,
        atMs: nowMs,
        patch
      })
      const approved = trusted && submitted !== null ? yield* approve(submitted) : null
      const after = approved ?? submitted
      if (after === null)
        return yield* new PlanNotSubmittable({ detail: "It changed in the meantime. Read it again.", planId: draft.id })
      if (after.musicToComeSec > 0)
        yield* addJob(ComposeAhead, { key: after.id, payload: { planId: after.id, agentId: after.agentId } })
      const dueAtMs = Math.min(nowMs + firstAirTargetHours * hourMs, decideUntilMs(plan.startMs, planLeadMin))
      if (approved === null)
        yield* askForReview({
          kind: "plan",
          type: "plan",
          id: plan.id,
          agentId: plan.agentId,
          flags,
          status: isEscalating(flags) ? "escalated" : "open",
          title: plan.title,
          body: reviewTextOf(after, stock),
          dueAtMs
        })
      return after
    })
  )
})
export const submitPlan = Effect.fnUntraced(function* ({ by: { agentId }, planId }: PlanCommand) {
  const plan = yield* findOwnPlan(planId, agentId)
  yield* activeAgent(agentId)
  return yield* command({ run: Effect.flatMap(submitDraft(plan), render) })
})
/** Ends a plan and frees its run and speech. Null when it changed concurrently. */
const endPlan = Effect.fnUntraced(function* (plan: PlanRecord, to: "cancelled" | "rejected", reason: string | null) {
  const items = yield* releaseSpeech(plan, reason ?? (to === "cancelled" ? "PLAN_CANCELLED" : "PLAN_REJECTED"))
  return yield* (yield* PlansWriter).move(plan.id, {
    from: [plan.status],
    to,
    reason,
    atMs: yield* Clock.currentTimeMillis,
    patch: { items }
  })
})
/** Rejects a plan and notifies its agent. */
export const reject = Effect.fnUntraced(function* (plan: PlanRecord, reason: string | null) {
  const rejected = yield* endPlan(plan, "rejected", reason)
  if (rejected !== null)
    yield* emit({
      _tag: "PlanDecided",
      planId: plan.id,
      agentId: plan.agentId,
      title: plan.title,
      status: "rejected",
      reason
    })
  return rejected
})
export const approvePlan = Effect.fnUntraced(function* (plan: PlanRecord) {
  yield* clearSpeech(plan)
  return yield* approve(plan)
})
const cancel = Effect.fnUntraced(function* (plan: PlanRecord, reason: string | null) {
  yield* withdrawReview("plan", plan.id, reason ?? "PLAN_CANCELLED")
  return yield* endPlan(plan, "cancelled", reason)
})
export const cancelPlan = Effect.fnUntraced(function* ({ by: { agentId }, planId }: PlanCommand) {
  const { planLeadMin } = yield* StationConfig
  const plan = yield* findOwnPlan(planId, agentId)
  yield* activeAgent(agentId)
  if (!isCancellable(plan, planLeadMin, yield* Clock.currentTimeMillis)) {
    return yield* new PlanNotCancellable({
      detail: statesAllowing("Cancel").includes(plan.status)
        ? `It could be cancelled until ${new Date(decideUntilMs(plan.startMs, planLeadMin)).toISOString()}.`
        : `It is ${plan.status}.`
    })
  }
  return yield* command({
    run: Effect.gen(function* () {
      const after = yield* cancel(plan, null)
      return after === null
        ? yield* new PlanNotCancellable({ detail: "It changed in the meantime. Read it again." })
        : yield* render(after)
    })
  })
})
/** Settles the plan if it is overdue. False when it isn't. */
export const settlePlan = Effect.fnUntraced(function* (agentId: AgentId, planId: string) {
  const { planLeadMin } = yield* StationConfig
  const plan = yield* (yield* Plans).find(planId)
  const taken = plan?.agentId === agentId ? overdueStep(plan, planLeadMin, yield* Clock.currentTimeMillis) : null
  if (plan === null || taken === null) return false
  const done = yield* (yield* Transaction).run(
    Effect.gen(function* () {
      if (taken === "Lapse") return yield* cancel(plan, "LEAD_TIME_PASSED")
      yield* withdrawReview("plan", plan.id, "REVIEW_TIMEOUT")
      return yield* reject(plan, "REVIEW_TIMEOUT")
    })
  )
  return done !== null
})
/** Cancels all plans of an agent that have not begun. Answers their number. */
export const cancelAllPlans = Effect.fnUntraced(function* (agentId: AgentId, reason: string) {
  const open = yield* (yield* Plans).listByAgent(agentId, statesAllowing("Cancel"))
  yield* (yield* Transaction).run(Effect.forEach(open, (plan) => cancel(plan, reason), { discard: true }))
  return open.length
})
