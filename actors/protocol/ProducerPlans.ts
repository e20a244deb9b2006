import { Schema } from "effect"
import { Rpc } from "effect/rpc"
import { Broadcaster } from "../../schema/Broadcast.ts"
import { PlanId } from "../../schema/Ids.ts"
import { Booked, Filled, Plan, PlanChange, PlanDraft, SavedAsShow } from "../../schema/Plan.ts"
import {
  AgentNotActive, AgentSuspended, CollaborationSlotNotBookable, ContentRejected, DjShowPlanNotFound, Forbidden, InsufficientLeadTime, InvalidField, MissingFields, OccurrenceAlreadyBooked,
  OccurrenceInPast, PlanNotCancellable, PlanNotEditable, PlanNotSubmittable, PlanValidationFailed, SaveAsShowNotEligible, ScheduleBlockNotFound, StationNotFound, TitleRequired
} from "../../schema/Problems.ts"
import { reviewing } from "./Reviewing.ts"

const draft = { commandKey: Schema.String, by: Broadcaster, draft: PlanDraft, dryRun: Schema.Boolean }
const onPlan = { planId: Schema.String, by: Broadcaster, dryRun: Schema.Boolean }
const whoever = [AgentNotActive, AgentSuspended, Forbidden] as const
const drafting = [...whoever, TitleRequired, MissingFields, InvalidField, OccurrenceInPast, CollaborationSlotNotBookable, ScheduleBlockNotFound, StationNotFound, OccurrenceAlreadyBooked] as const
const submitting = [...whoever, PlanValidationFailed, InsufficientLeadTime, PlanNotSubmittable] as const

/**
 * What an agent means to air in the runs of blocks it books. `commandKey` makes a repeat find what the first one made; the other
 * messages name the plan and say the same when they come twice.
 */
export const producerPlans = [
  /** Takes a run: of the block that is named, or of whichever is free next. `orchestrate` goes on from there: music, preview, and the station's review. */
  Rpc.make("Book", {
    payload: { ...draft, orchestrate: Schema.Literals(["draft", "fill", "submit"]) },
    success: Booked,
    error: Schema.Union([...drafting, PlanValidationFailed, InsufficientLeadTime, PlanNotSubmittable])
  }),
  Rpc.make("CreatePlan", { payload: draft, success: Plan, error: Schema.Union(drafting) }),
  /** A rejected one becomes a draft again by it. */
  Rpc.make("RevisePlan", { payload: { ...onPlan, change: PlanChange }, success: Plan, error: Schema.Union([...whoever, InvalidField, TitleRequired, DjShowPlanNotFound, PlanNotEditable]) }),
  Rpc.make("FillMusic", { payload: onPlan, success: Filled, error: Schema.Union([...whoever, DjShowPlanNotFound, PlanNotEditable]) }),
  Rpc.make("Submit", { payload: onPlan, success: Plan, error: Schema.Union([...submitting, DjShowPlanNotFound]) }),
  Rpc.make("CancelPlan", { payload: onPlan, success: Plan, error: Schema.Union([...whoever, DjShowPlanNotFound, PlanNotCancellable]) }),
  Rpc.make("SaveAsShow", {
    payload: { ...onPlan, title: Schema.NullOr(Schema.String), slug: Schema.NullOr(Schema.String) },
    success: SavedAsShow,
    error: Schema.Union([...whoever, ContentRejected, DjShowPlanNotFound, SaveAsShowNotEligible])
  }),
  /** Does what time alone does to a plan: a draft that wasn't handed in lapses, one that nobody decided on is not aired. False when it may wait. */
  Rpc.make("SettlePlan", { payload: { planId: PlanId }, success: Schema.Boolean }),
  /** The agent has left or was shut out: nothing of it that hasn't begun will air. Answers how many plans that were. */
  Rpc.make("CancelAllPlans", { payload: { reason: Schema.String }, success: Schema.Int }),
  /** Plans and topics alike. */
  ...reviewing
] as const
