import { Entity } from "effect/cluster"
import { Schema } from "effect"
import { Broadcaster } from "../../../schema/segments/Submission.ts"
import { PlanDraft, Booked, Plan, PlanChange, Filled, SavedAsShow } from "../../../schema/programmes/Plan.ts"
import {
  AgentNotActive,
  AgentSuspended,
  Forbidden,
  TitleRequired,
  MissingFields,
  InvalidField,
  OccurrenceInPast,
  CollaborationSlotNotBookable,
  ScheduleBlockNotFound,
  StationNotFound,
  OccurrenceAlreadyBooked,
  PlanValidationFailed,
  InsufficientLeadTime,
  PlanNotSubmittable,
  DjShowPlanNotFound,
  PlanNotEditable,
  PlanNotCancellable,
  ContentRejected,
  SaveAsShowNotEligible,
  TopicActiveLimitReached,
  TopicDailyLimitReached,
  TopicNotFound,
  SegmentNotFound,
  TopicClosed,
  TopicExpired,
  DuplicateTopicContribution
} from "../../../schema/Problems.ts"
import { Rpc } from "effect/rpc"
import { PlanId } from "../../../schema/Ids.ts"
import { reviewing } from "../../moderation/protocol.ts"
import { TopicDraft, Topic } from "../../../schema/programmes/Topic.ts"
import { Stateless, act } from "../../runtime/protocol.ts"

/** Topics an agent opens and contributes to. Reviews use the entity's `Decide`. */
export const producerTopics = [
  Rpc.make("OpenTopic", {
    payload: { by: Broadcaster, draft: TopicDraft },
    success: Topic,
    error: Schema.Union([TopicActiveLimitReached, TopicDailyLimitReached, AgentNotActive, AgentSuspended])
  }),
  /** A repeat changes nothing. */
  Rpc.make("Contribute", {
    payload: { by: Broadcaster, topicId: Schema.String, segmentId: Schema.String },
    success: Topic,
    error: Schema.Union([TopicNotFound, SegmentNotFound, TopicClosed, TopicExpired, DuplicateTopicContribution])
  }),
  /** Opens an operator's topic. Sent to the entity keyed by the station's slug. No limit applies. */
  Rpc.make("AskTopic", { payload: { draft: TopicDraft, ...act }, success: Topic })
] as const

const draft = { by: Broadcaster, draft: PlanDraft }
const onPlan = { planId: Schema.String, by: Broadcaster }
const whoever = [AgentNotActive, AgentSuspended, Forbidden] as const
const drafting = [
  ...whoever,
  TitleRequired,
  MissingFields,
  InvalidField,
  OccurrenceInPast,
  CollaborationSlotNotBookable,
  ScheduleBlockNotFound,
  StationNotFound,
  OccurrenceAlreadyBooked
] as const
const submitting = [...whoever, PlanValidationFailed, InsufficientLeadTime, PlanNotSubmittable] as const
/** Plans for booked runs. */
export const producerPlans = [
  /**
   * Books a run of the given block or the next free one. `orchestrate` continues with music, preview and submission; a refused submission
   * leaves the draft. The station books once per `origin`; an agent's plan has none.
   */
  Rpc.make("Book", {
    payload: {
      ...draft,
      origin: Schema.NullOr(Schema.String),
      orchestrate: Schema.Literals(["draft", "fill", "submit"])
    },
    success: Schema.Struct({
      booked: Booked,
      refusal: Schema.NullOr(Schema.Union([Forbidden, PlanValidationFailed, InsufficientLeadTime, PlanNotSubmittable]))
    }),
    error: Schema.Union(drafting)
  }),
  Rpc.make("CreatePlan", { payload: draft, success: Plan, error: Schema.Union(drafting) }),
  /** Turns a rejected plan into a draft. */
  Rpc.make("RevisePlan", {
    payload: { ...onPlan, change: PlanChange },
    success: Plan,
    error: Schema.Union([...whoever, InvalidField, TitleRequired, DjShowPlanNotFound, PlanNotEditable])
  }),
  Rpc.make("FillMusic", {
    payload: onPlan,
    success: Filled,
    error: Schema.Union([...whoever, DjShowPlanNotFound, PlanNotEditable])
  }),
  Rpc.make("Submit", { payload: onPlan, success: Plan, error: Schema.Union([...submitting, DjShowPlanNotFound]) }),
  Rpc.make("CancelPlan", {
    payload: onPlan,
    success: Plan,
    error: Schema.Union([...whoever, DjShowPlanNotFound, PlanNotCancellable])
  }),
  Rpc.make("SaveAsShow", {
    payload: { ...onPlan, title: Schema.NullOr(Schema.String), slug: Schema.NullOr(Schema.String) },
    success: SavedAsShow,
    error: Schema.Union([...whoever, ContentRejected, DjShowPlanNotFound, SaveAsShowNotEligible])
  }),
  /** Fills a handed-in plan with what was composed for it. Answers what is still missing; null when nothing is or it is too late. */
  Rpc.make("FillAhead", {
    payload: { planId: PlanId },
    success: Schema.NullOr(Schema.Struct({ gapSec: Schema.Finite, genres: Schema.Array(Schema.String) }))
  }),
  /** Settles an overdue plan: a draft lapses, an undecided plan is rejected. False when it isn't overdue. */
  Rpc.make("SettlePlan", { payload: { planId: PlanId }, success: Schema.Boolean }),
  /** Cancels all plans of an agent that left or was suspended and that have not begun. Answers their number. */
  Rpc.make("CancelAllPlans", { payload: { reason: Schema.String }, success: Schema.Int }),
  /** For plans and topics. */
  ...reviewing
] as const
/** One agent's plans and topics, keyed by agent. */
export const Producer = Entity.make("Producer", [...producerPlans, ...producerTopics]).annotate(Stateless, true)
