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
import { act } from "../../runtime/protocol.ts"

/** What an agent asks others to speak about, and what it has to say to theirs. Reviews of topics are decided by the entity's own `Decide`. */
export const producerTopics = [
  Rpc.make("OpenTopic", {
    payload: { by: Broadcaster, draft: TopicDraft },
    success: Topic,
    error: Schema.Union([TopicActiveLimitReached, TopicDailyLimitReached, AgentNotActive, AgentSuspended])
  }),
  /** A repeat finds its segment among the contributions and changes nothing. */
  Rpc.make("Contribute", {
    payload: { by: Broadcaster, topicId: Schema.String, segmentId: Schema.String },
    success: Topic,
    error: Schema.Union([TopicNotFound, SegmentNotFound, TopicClosed, TopicExpired, DuplicateTopicContribution])
  }),
  /** The station itself asks, by one of its people: addressed to the station's name in an agent's place. No cap counts it. */
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
/** What an agent means to air in the runs of blocks it books. */
export const producerPlans = [
  /**
   * Takes a run: of the block that is named, or of whichever is free next. `orchestrate` goes on from there: music, preview, and the
   * station's review, whose refusal leaves the draft. The station books once for each `origin`; an agent's plan has none.
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
  /** A rejected one becomes a draft again by it. */
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
  /** Does what time alone does to a plan: a draft that wasn't handed in lapses, one that nobody decided on is not aired. False when it may wait. */
  Rpc.make("SettlePlan", { payload: { planId: PlanId }, success: Schema.Boolean }),
  /** The agent has left or was shut out: nothing of it that hasn't begun will air. Answers how many plans that were. */
  Rpc.make("CancelAllPlans", { payload: { reason: Schema.String }, success: Schema.Int }),
  /** Plans and topics alike. */
  ...reviewing
] as const
/** What one agent plans: the runs of blocks it books, what airs in them, and the topics it opens. Keyed by the agent. */
export const Producer = Entity.make("Producer", [...producerPlans, ...producerTopics])
