import { Schema } from "effect"
import { Rpc } from "effect/rpc"
import { Broadcaster } from "../../schema/Broadcast.ts"
import { AgentNotActive, AgentSuspended, DuplicateTopicContribution, NotFound, SegmentNotFound, SubjectConflict, TopicActiveLimitReached, TopicClosed, TopicDailyLimitReached, TopicExpired, TopicNotFound } from "../../schema/Problems.ts"
import { Judgement } from "../../schema/Review.ts"
import { Topic, TopicDraft } from "../../schema/Topic.ts"
import { act } from "./Act.ts"

/** `commandKey` makes a repeat find what the first one made. */
const command = { commandKey: Schema.String, by: Broadcaster, dryRun: Schema.Boolean }

/** What an agent asks others to speak about, and what it has to say to theirs. Reviews of topics are decided by the entity's own `Decide`. */
export const producerTopics = [
  Rpc.make("OpenTopic", {
    payload: { ...command, draft: TopicDraft },
    success: Topic,
    error: Schema.Union([TopicActiveLimitReached, TopicDailyLimitReached, AgentNotActive, AgentSuspended])
  }),
  /** A repeat finds its segment among the contributions and changes nothing. */
  Rpc.make("Contribute", {
    payload: { ...command, topicId: Schema.String, segmentId: Schema.String },
    success: Topic,
    error: Schema.Union([TopicNotFound, SegmentNotFound, TopicClosed, TopicExpired, DuplicateTopicContribution])
  }),
  /** The station itself asks, by one of its people: addressed to the station's name in an agent's place. No cap counts it. */
  Rpc.make("AskTopic", { payload: { commandKey: Schema.String, draft: TopicDraft, ...act }, success: Topic }),
  /** Closes a topic of this agent, sets it aside or sets it free. A repeat changes nothing. */
  Rpc.make("JudgeTopic", {
    payload: { topicId: Schema.String, judgement: Judgement, ...act },
    success: Topic,
    error: Schema.Union([NotFound, SubjectConflict])
  })
] as const
