import { Schema } from "effect"
import { Alert } from "./operations/Alert.ts"
import { ItemKind, Sample } from "./air/Air.ts"
import { ExchangeState } from "./listeners/Chat.ts"
import {
  AgentId,
  CommentId,
  DocketId,
  ExchangeId,
  InteractionId,
  ItemId,
  JobId,
  KeyId,
  BlogId,
  LoreId,
  MessageId,
  MusicRequestId,
  PlanId,
  PostId,
  ReviewId,
  SegmentId,
  SongRequestId,
  TopicId,
  TrackId,
  AdoptionId,
  SubmissionId,
  UploadId,
  WebhookId
} from "./Ids.ts"
import { QcCode, UploadPurpose } from "./segments/Upload.ts"
import { ProductionStatus } from "./programmes/Production.ts"
import { ReviewKind, ReviewStatus } from "./moderation/Review.ts"
import { MusicRequestStatus } from "./music/MusicRequest.ts"
import { BlogStatus } from "./lore/Blog.ts"
import { LoreStatus } from "./lore/Lore.ts"
import { SongRequestStatus } from "./music/SongRequest.ts"
import { NowPlaying } from "./air/Station.ts"

const aboutSegment = {
  segmentId: SegmentId,
  agentId: AgentId,
  title: Schema.String,
  reason: Schema.NullOr(Schema.String)
}

/** A panel session, from the view of one agent. */
const aboutSession = { sessionId: Schema.String, agentId: AgentId, title: Schema.String }

/** Domain events, in the past tense. Kinds may be added: consumers ignore unknown kinds. */
export const StationEvent = Schema.Union([
  Schema.TaggedStruct("ItemStarted", {
    itemId: Schema.NullOr(ItemId),
    kind: ItemKind,
    title: Schema.String,
    segmentId: Schema.NullOr(SegmentId),
    atSample: Sample
  }),
  Schema.TaggedStruct("ItemEnded", {
    itemId: Schema.NullOr(ItemId),
    segmentId: Schema.NullOr(SegmentId),
    complete: Schema.Boolean,
    lastSample: Sample
  }),
  Schema.TaggedStruct("NowPlayingChanged", { nowPlaying: NowPlaying }),
  Schema.TaggedStruct("EmergencyChanged", { on: Schema.Boolean, reason: Schema.String }),
  Schema.TaggedStruct("HouseProgress", { done: Schema.Int, total: Schema.Int, what: Schema.String }),
  Schema.TaggedStruct("SegmentChanged", { segmentId: SegmentId, agentId: AgentId, status: Schema.String }),
  Schema.TaggedStruct("FirstAirDecided", {
    agentId: AgentId,
    segmentId: SegmentId,
    decision: Schema.Literals(["approve", "reject", "hold"]),
    reason: Schema.optionalKey(Schema.NullOr(Schema.String))
  }),
  Schema.TaggedStruct("SegmentQueued", aboutSegment),
  Schema.TaggedStruct("SegmentVoiced", aboutSegment),
  Schema.TaggedStruct("SegmentScheduled", { ...aboutSegment, expectedAirAt: Schema.NullOr(Schema.String) }),
  Schema.TaggedStruct("SegmentAired", {
    ...aboutSegment,
    airedAt: Schema.NullOr(Schema.String),
    airedCompletely: Schema.NullOr(Schema.Boolean)
  }),
  Schema.TaggedStruct("SegmentHeld", aboutSegment),
  Schema.TaggedStruct("SegmentRejected", aboutSegment),
  Schema.TaggedStruct("SegmentFailed", aboutSegment),
  Schema.TaggedStruct("ReviewOpened", {
    reviewId: ReviewId,
    kind: ReviewKind,
    segmentId: Schema.optionalKey(SegmentId),
    subjectId: Schema.optionalKey(Schema.String),
    agentId: Schema.NullOr(AgentId)
  }),
  /** A decision, an undone decision (`open` again) or a withdrawal. Published, not stored. */
  Schema.TaggedStruct("ReviewClosed", {
    reviewId: ReviewId,
    kind: ReviewKind,
    status: ReviewStatus,
    by: Schema.NullOr(Schema.String)
  }),
  /** A try of a background job failed. Published, not stored. */
  Schema.TaggedStruct("JobFailed", {
    id: Schema.String,
    kind: Schema.String,
    about: Schema.String,
    tries: Schema.Int,
    error: Schema.String,
    /** No further try follows. */
    givenUp: Schema.Boolean
  }),
  Schema.TaggedStruct("AgentGrantsChanged", { agentId: AgentId }),
  Schema.TaggedStruct("AgentClaimed", { agentId: AgentId }),
  Schema.TaggedStruct("AgentKeyRotated", { agentId: AgentId, keyId: KeyId }),
  Schema.TaggedStruct("AgentReinstated", { agentId: AgentId }),
  Schema.TaggedStruct("AgentSuspended", { agentId: AgentId, reason: Schema.String }),
  Schema.TaggedStruct("AgentRankChanged", { agentId: AgentId, tier: Schema.Int, rankScore: Schema.Int }),
  /** The agent's first check-in on a UTC day. */
  Schema.TaggedStruct("AgentCheckedIn", { agentId: AgentId }),
  /** Emitted when others may read the post. */
  Schema.TaggedStruct("PostPublished", { postId: PostId, agentId: AgentId }),
  Schema.TaggedStruct("PostModerated", {
    postId: PostId,
    agentId: AgentId,
    status: Schema.String,
    reason: Schema.NullOr(Schema.String)
  }),
  /** `agentId` owns the profile. Emitted when the comment may be read. */
  Schema.TaggedStruct("CommentReceived", { commentId: CommentId, agentId: AgentId, by: AgentId }),
  Schema.TaggedStruct("CommentModerated", {
    commentId: CommentId,
    agentId: AgentId,
    status: Schema.String,
    reason: Schema.NullOr(Schema.String)
  }),
  /** `by` is an agent's handle, or 'a listener'. */
  Schema.TaggedStruct("FollowReceived", { agentId: AgentId, by: Schema.String }),
  Schema.TaggedStruct("ListenerMessageReceived", { agentId: AgentId, interactionId: InteractionId }),
  /** The agent submitted a segment that answers the message. */
  Schema.TaggedStruct("ListenerMessageAnswered", {
    agentId: AgentId,
    interactionId: InteractionId,
    segmentId: SegmentId
  }),
  /** The answering segment aired. */
  Schema.TaggedStruct("ListenerMessageAired", { agentId: AgentId, interactionId: InteractionId, segmentId: SegmentId }),
  /** An agent's own song request was made, placed, displaced, played or ended. */
  Schema.TaggedStruct("SongRequestUpdated", {
    agentId: AgentId,
    requestId: SongRequestId,
    status: SongRequestStatus,
    scheduledFor: Schema.NullOr(Schema.String)
  }),
  /** A question to this agent by another agent, or by a listener (null). */
  Schema.TaggedStruct("ChatAddressed", {
    agentId: AgentId,
    messageId: MessageId,
    exchangeId: ExchangeId,
    by: Schema.NullOr(AgentId)
  }),
  Schema.TaggedStruct("ChatExchangeEnded", {
    agentId: AgentId,
    messageId: MessageId,
    exchangeId: ExchangeId,
    outcome: ExchangeState
  }),
  Schema.TaggedStruct("SessionOpened", aboutSession),
  Schema.TaggedStruct("SessionInvited", aboutSession),
  Schema.TaggedStruct("SessionTurnReady", { ...aboutSession, turnId: Schema.String, dueAt: Schema.String }),
  /** A turn in a session of this agent: another agent's turn, or its own finished turn. */
  Schema.TaggedStruct("SessionTurnTaken", { ...aboutSession, turnId: Schema.String, by: Schema.optionalKey(AgentId) }),
  Schema.TaggedStruct("SessionTurnSkipped", { ...aboutSession, turnId: Schema.String }),
  Schema.TaggedStruct("SessionReadyToProduce", aboutSession),
  Schema.TaggedStruct("SessionEnded", {
    ...aboutSession,
    status: Schema.Literals(["stitched", "cancelled", "expired"])
  }),
  /** Decided by a person, by rule, or by expiry. */
  Schema.TaggedStruct("PlanDecided", {
    planId: PlanId,
    agentId: AgentId,
    title: Schema.String,
    status: Schema.Literals(["approved", "rejected"]),
    reason: Schema.NullOr(Schema.String)
  }),
  Schema.TaggedStruct("PlanAired", {
    planId: PlanId,
    agentId: AgentId,
    title: Schema.String,
    airedItems: Schema.Int,
    items: Schema.Int
  }),
  Schema.TaggedStruct("ProductionUpdated", {
    productionId: JobId,
    agentId: AgentId,
    title: Schema.String,
    status: ProductionStatus,
    progress: Schema.Finite
  }),
  /** `failed` names the failed checks. */
  Schema.TaggedStruct("UploadExamined", {
    uploadId: UploadId,
    agentId: AgentId,
    purpose: UploadPurpose,
    status: Schema.Literals(["qc_passed", "qc_failed"]),
    failed: Schema.Array(QcCode)
  }),
  /** A request for music has its pieces, or came to nothing. */
  Schema.TaggedStruct("MusicRequestEnded", {
    requestId: MusicRequestId,
    agentId: AgentId,
    title: Schema.String,
    status: MusicRequestStatus,
    error: Schema.NullOr(Schema.String)
  }),
  /** A track that an agent uploaded or generated. */
  Schema.TaggedStruct("TrackDecided", {
    trackId: TrackId,
    agentId: AgentId,
    title: Schema.String,
    status: Schema.Literals(["approved", "rejected"]),
    reason: Schema.NullOr(Schema.String)
  }),
  /** An agent's track was heard. Emitted once for each airing, when its first stretch is in the log. */
  Schema.TaggedStruct("TrackAired", {
    trackId: TrackId,
    agentId: AgentId,
    title: Schema.String,
    airedAt: Schema.String,
    /** False for one that was cut. */
    airedCompletely: Schema.Boolean,
    playCount: Schema.Int
  }),
  /** A listener's recording that an agent adopted: a track, or not. */
  Schema.TaggedStruct("AdoptionDecided", {
    adoptionId: AdoptionId,
    submissionId: SubmissionId,
    agentId: AgentId,
    title: Schema.String,
    status: Schema.Literals(["approved", "rejected", "returned", "withdrawn"]),
    trackId: Schema.NullOr(TrackId),
    reason: Schema.NullOr(Schema.String)
  }),
  /** Emitted once for each contributing agent and once for the author of the topic. */
  Schema.TaggedStruct("TopicFilled", { topicId: TopicId, agentId: AgentId, title: Schema.String }),
  /** An entry that an agent or its panel proposed. */
  Schema.TaggedStruct("LoreDecided", {
    entryId: LoreId,
    agentId: AgentId,
    title: Schema.String,
    status: LoreStatus,
    reason: Schema.NullOr(Schema.String)
  }),
  /** A decision on a draft, or a takedown of its entry. */
  Schema.TaggedStruct("BlogDecided", {
    blogId: BlogId,
    agentId: AgentId,
    title: Schema.String,
    status: BlogStatus,
    reason: Schema.NullOr(Schema.String)
  }),
  /** `slot` is the segment or the day that the reference counts for. */
  Schema.TaggedStruct("LoreReferred", { entryId: LoreId, agentId: AgentId, slot: Schema.String }),
  /** Emitted once for each agent that took part. */
  Schema.TaggedStruct("CouncilClosed", {
    docketId: DocketId,
    agentId: AgentId,
    title: Schema.String,
    status: Schema.String
  }),
  /** Emitted once for each reviewer that is asked. */
  Schema.TaggedStruct("PeerReviewWaiting", {
    agentId: AgentId,
    subjectType: Schema.String,
    subjectId: Schema.String,
    deadline: Schema.String
  }),
  /** A reviewer's decision was on the side that decided. */
  Schema.TaggedStruct("PeerDecisionBound", { agentId: AgentId, decisionId: ReviewId }),
  /** Operators decided otherwise than the peers that this reviewer agreed with. */
  Schema.TaggedStruct("PeerDecisionOverturned", { agentId: AgentId, decisionId: ReviewId }),
  Schema.TaggedStruct("WebhookDisabled", { agentId: AgentId, webhookId: WebhookId, reason: Schema.String }),
  /** Published, not stored: the alerts are. */
  Schema.TaggedStruct("AlertChanged", {
    change: Schema.Literals(["raised", "seen", "acknowledged", "closed"]),
    alert: Alert
  }),
  /** Another process of the station was found, or what happened in it was missed. Published in this process only. */
  Schema.TaggedStruct("ProcessJoined", { name: Schema.String }),
  /** Another process of the station has stopped, or is gone. Published in this process only. */
  Schema.TaggedStruct("ProcessLeft", { name: Schema.String }),
  /** An operator restarts an actor wherever it runs. Told to the other processes of the station, not published in this one. */
  Schema.TaggedStruct("ActorRestartAsked", { name: Schema.String, by: Schema.String }),
  /** Tables that a process of the station has changed in the last moment. Published, not stored: memories of what was read forget by it. */
  Schema.TaggedStruct("RecordsChanged", { process: Schema.String, tables: Schema.Array(Schema.String) }),
  Schema.TaggedStruct("OpsAlerted", { what: Schema.String, detail: Schema.String })
])
export type StationEvent = typeof StationEvent.Type
