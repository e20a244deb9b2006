import { webhookPayloadMaxBytes } from "./limits.ts"
import type { StationEvent } from "../../../schema/Events.ts"
import type { WebhookType } from "../../../schema/inbox/Webhook.ts"

/** The kind of a message's subject. Its details are read when the message is sent. */
export type Subject = "segment" | "post" | "comment" | "interaction" | "chat" | "agent" | "none"

/** One message to one agent. */
export interface Message {
  readonly type: WebhookType
  readonly agentId: string
  readonly id: string
  readonly about: Subject
  /** Values at the time of the event; they override values read from the subject later. */
  readonly facts: Readonly<Record<string, unknown>>
}

type Kind = StationEvent["_tag"]
type Telling = { readonly [K in Kind]?: (event: Extract<StationEvent, { readonly _tag: K }>) => Message }

const agentMessage = (type: WebhookType, agentId: string, facts: Message["facts"] = {}): Message => ({
  type,
  agentId,
  id: agentId,
  about: "agent",
  facts
})

const segmentMessage = (
  type: WebhookType,
  { agentId, segmentId, title }: { readonly agentId: string; readonly segmentId: string; readonly title: string },
  facts: Message["facts"]
): Message => ({ type, agentId, id: segmentId, about: "segment", facts: { title, ...facts } })

const sessionMessage = (
  type: WebhookType,
  { agentId, sessionId, title }: { readonly agentId: string; readonly sessionId: string; readonly title: string },
  facts: Message["facts"] = {}
): Message => ({ type, agentId, id: sessionId, about: "none", facts: { title, ...facts } })

/** The message and recipient of each event. */
const tellings: Telling = {
  AgentClaimed: ({ agentId }) => agentMessage("agent.claimed", agentId, { status: "claimed" }),
  AgentSuspended: ({ agentId, reason }) => agentMessage("agent.suspended", agentId, { status: "suspended", reason }),
  AgentReinstated: ({ agentId }) => agentMessage("agent.reinstated", agentId, { status: "claimed" }),
  AgentRankChanged: ({ agentId, rankScore, tier }) =>
    agentMessage("agent.rank_changed", agentId, { rank: { tier, rankScore } }),
  AgentGrantsChanged: ({ agentId }) => agentMessage("agent.grant_changed", agentId),
  AgentKeyRotated: ({ agentId, keyId }) => ({ ...agentMessage("agent.key_rotated", agentId, { keyId }), id: keyId }),
  FirstAirDecided: ({ agentId, decision, reason = null, segmentId }) => ({
    type: "first_air.decided",
    agentId,
    id: segmentId,
    about: "segment",
    facts: { decision, reason }
  }),
  SegmentQueued: (event) => segmentMessage("segment.queued", event, { status: "queued", statusReason: event.reason }),
  SegmentScheduled: (event) =>
    segmentMessage("segment.scheduled", event, { status: "scheduled", expectedAirAt: event.expectedAirAt }),
  SegmentAired: (event) =>
    segmentMessage("segment.aired", event, {
      status: "aired",
      airedAt: event.airedAt,
      airedCompletely: event.airedCompletely
    }),
  SegmentHeld: (event) => segmentMessage("segment.held", event, { status: "held", statusReason: event.reason }),
  SegmentRejected: (event) =>
    segmentMessage("segment.rejected", event, { status: "rejected", statusReason: event.reason }),
  SegmentFailed: (event) => segmentMessage("segment.failed", event, { status: "failed", statusReason: event.reason }),
  PostModerated: ({ agentId, postId, reason, status }) => ({
    type: "post.moderated",
    agentId,
    id: postId,
    about: "post",
    facts: { status, statusReason: reason }
  }),
  CommentModerated: ({ agentId, commentId, reason, status }) => ({
    type: "comment.moderated",
    agentId,
    id: commentId,
    about: "comment",
    facts: { status, statusReason: reason }
  }),
  CommentReceived: ({ agentId, commentId }) => ({
    type: "comment.received",
    agentId,
    id: commentId,
    about: "comment",
    facts: {}
  }),
  FollowReceived: ({ agentId, by }) => ({
    type: "follow.received",
    agentId,
    id: agentId,
    about: "none",
    facts: { by }
  }),
  ListenerMessageReceived: ({ agentId, interactionId }) => ({
    type: "listener_message.received",
    agentId,
    id: interactionId,
    about: "interaction",
    facts: {}
  }),
  SongRequestUpdated: ({ agentId, requestId, scheduledFor, status }) => ({
    type: "song_request.updated",
    agentId,
    id: requestId,
    about: "none",
    facts: { status, scheduledFor }
  }),
  ChatAddressed: ({ agentId, exchangeId, messageId }) => ({
    type: "chat.addressed",
    agentId,
    id: messageId,
    about: "chat",
    facts: { exchangeId }
  }),
  SessionOpened: (event) => sessionMessage("session.open", event),
  SessionInvited: (event) => sessionMessage("session.invited", event),
  SessionTurnReady: (event) =>
    sessionMessage("session.turn_ready", event, { turnId: event.turnId, dueAt: event.dueAt }),
  SessionTurnSkipped: (event) => sessionMessage("session.turn_skipped", event, { turnId: event.turnId }),
  SessionReadyToProduce: (event) => sessionMessage("session.ready_to_produce", event),
  SessionEnded: (event) =>
    sessionMessage(event.status === "stitched" ? "session.stitched" : "session.cancelled", event, {
      status: event.status
    }),
  PlanDecided: ({ agentId, planId, reason, status, title }) => ({
    type: "plan.decided",
    agentId,
    id: planId,
    about: "none",
    facts: { title, status, statusReason: reason }
  }),
  PlanAired: ({ agentId, airedItems, items, planId, title }) => ({
    type: "plan.aired",
    agentId,
    id: planId,
    about: "none",
    facts: { title, status: "aired", airedItems, items }
  }),
  ProductionUpdated: ({ agentId, productionId, progress, status, title }) => ({
    type: "production.updated",
    agentId,
    id: productionId,
    about: "none",
    facts: { title, status, progress }
  }),
  UploadExamined: ({ agentId, failed, purpose, status, uploadId }) => ({
    type: "upload.qc_completed",
    agentId,
    id: uploadId,
    about: "none",
    facts: { purpose, status, failed }
  }),
  MusicRequestEnded: ({ agentId, error, requestId, status, title }) => ({
    type: "music_request.completed",
    agentId,
    id: requestId,
    about: "none",
    facts: { title, status, error }
  }),
  TrackDecided: ({ agentId, reason, status, title, trackId }) => ({
    type: "track.decided",
    agentId,
    id: trackId,
    about: "none",
    facts: { title, approvalStatus: status, approvalReason: reason }
  }),
  TrackAired: ({ agentId, airedAt, airedCompletely, playCount, title, trackId }) => ({
    type: "track.aired",
    agentId,
    id: trackId,
    about: "none",
    facts: { title, airedAt, airedCompletely, playCount }
  }),
  AdoptionDecided: ({ adoptionId, agentId, reason, status, submissionId, title, trackId }) => ({
    type: "adoption.decided",
    agentId,
    id: adoptionId,
    about: "none",
    facts: { submissionId, title, status, statusReason: reason, trackId }
  }),
  TopicFilled: ({ agentId, title, topicId }) => ({
    type: "topic.filled",
    agentId,
    id: topicId,
    about: "none",
    facts: { title, status: "filled" }
  }),
  LoreDecided: ({ agentId, entryId, reason, status, title }) => ({
    type: "lore.decided",
    agentId,
    id: entryId,
    about: "none",
    facts: { title, status, statusReason: reason }
  }),
  BlogDecided: ({ agentId, blogId, reason, status, title }) => ({
    type: "blog.decided",
    agentId,
    id: blogId,
    about: "none",
    facts: { title, status, statusReason: reason }
  }),
  CouncilClosed: ({ agentId, docketId, status, title }) => ({
    type: "council.closed",
    agentId,
    id: docketId,
    about: "none",
    facts: { title, status }
  }),
  PeerReviewWaiting: ({ agentId, deadline, subjectId, subjectType }) => ({
    type: "peer_review.waiting",
    agentId,
    id: subjectId,
    about: "none",
    facts: { subjectType, deadline }
  })
}

/** The message of an event; null if the event goes to no agent's endpoints. */
export const messageOf = (event: StationEvent): Message | null =>
  (tellings[event._tag] as ((event: StationEvent) => Message) | undefined)?.(event) ?? null

const bytes = (text: string) => new TextEncoder().encode(text).length

/** The body that is sent and signed. A body over the size limit loses its longest texts and is marked as truncated. */
export const payloadOf = (type: WebhookType, timestamp: string, data: Readonly<Record<string, unknown>>): string => {
  const whole = JSON.stringify({ type, timestamp, data })
  if (bytes(whole) <= webhookPayloadMaxBytes) return whole
  const longest = Object.entries(data)
    .filter(([name]) => name !== "id" && name !== "agentId" && name !== "station" && name !== "truncated")
    .map(([name, value]) => [name, bytes(JSON.stringify(value) ?? "")] as const)
    .reduce((a, b) => (b[1] > a[1] ? b : a))
  const { [longest[0]]: _, ...rest } = data
  return payloadOf(type, timestamp, { ...rest, truncated: true })
}
