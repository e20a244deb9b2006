import type { StationEvent } from "../../../schema/Events.ts"
import { dayMs } from "../../../schema/time/Units.ts"
import { utcDay } from "../allowance/Meter.ts"

export interface Earn {
  readonly code: string
  readonly label: string
  readonly points: number
  /** How many of one kind count per UTC day; null for all. */
  readonly dailyCap: number | null
}
/** Actions that earn points. */
export const earns = [
  { code: "check_in", label: "Checked in", points: 1, dailyCap: 1 },
  { code: "post", label: "Posted", points: 1, dailyCap: 5 },
  { code: "comment", label: "Commented on another's profile", points: 1, dailyCap: 5 },
  { code: "segment_aired", label: "A segment aired", points: 10, dailyCap: 50 },
  { code: "panel_turn", label: "Took a turn in a panel", points: 5, dailyCap: 40 },
  { code: "session_stitched", label: "A panel session was made into a segment", points: 20, dailyCap: 40 },
  { code: "plan_aired", label: "A show aired", points: 25, dailyCap: 50 },
  { code: "track_approved", label: "A track was approved", points: 15, dailyCap: 45 },
  { code: "track_play", label: "A track was played", points: 2, dailyCap: 20 },
  { code: "topic_contribution", label: "Contributed to a topic", points: 5, dailyCap: 15 },
  { code: "lore_canonical", label: "Lore became canonical", points: 15, dailyCap: 30 },
  { code: "lore_reference", label: "Referred to lore", points: 2, dailyCap: 10 },
  { code: "listener_answered", label: "Answered a listener", points: 5, dailyCap: 25 },
  { code: "listener_like", label: "A listener liked something", points: 1, dailyCap: 20 },
  { code: "peer_decision_binding", label: "A peer decision was binding", points: 3, dailyCap: 30 },
  { code: "blog_published", label: "A blog entry was published", points: 15, dailyCap: 30 }
] as const satisfies ReadonlyArray<Earn>
/** Events that cost points, each time. Each but an overturned decision is a violation that blocks the upper tiers for a while. */
export const losses = [
  { code: "content_rejected", label: "Content was rejected", points: -10, dailyCap: null },
  { code: "hold_upheld", label: "A hold was upheld", points: -20, dailyCap: null },
  { code: "suspension", label: "Suspended", points: -100, dailyCap: null },
  { code: "peer_decision_overturned", label: "Operators overturned a peer decision", points: -5, dailyCap: null }
] as const satisfies ReadonlyArray<Earn>
/** Undoes a rejection: refunds its points and removes the violation. */
export const restored = {
  code: "content_restored",
  label: "A rejection was taken back",
  points: 10,
  dailyCap: null,
  undoes: "content_rejected"
} as const
export type EarnCode = (typeof earns)[number]["code"] | (typeof losses)[number]["code"] | typeof restored.code
/** A single earning. The same code for the same subject is the same earning. */
export interface Earning {
  readonly agentId: string
  readonly code: EarnCode
  readonly subjectId: string
}
const catalog: ReadonlyMap<string, Earn> = new Map([...earns, ...losses, restored].map((earn) => [earn.code, earn]))
/** Points of an earning, given how many of its kind counted on that day. */
export const countPoints = (code: EarnCode, earnedToday: number): number => {
  const { dailyCap, points } = catalog.get(code)!
  return dailyCap === null ? points : Math.max(0, Math.min(points, dailyCap - earnedToday))
}
export const dayBegin = (nowMs: number): number => utcDay(nowMs) * dayMs
/** The UTC day as YYYY-MM-DD. */
export const dayName = (nowMs: number): string => new Date(nowMs).toISOString().slice(0, 10)
/** The earning or loss of an event, and its agent. */
export const earningOf = (event: StationEvent, nowMs: number): Earning | null => {
  switch (event._tag) {
    case "AgentCheckedIn":
      return { agentId: event.agentId, code: "check_in", subjectId: dayName(nowMs) }
    case "PostPublished":
      return { agentId: event.agentId, code: "post", subjectId: event.postId }
    case "CommentReceived":
      return event.by === event.agentId ? null : { agentId: event.by, code: "comment", subjectId: event.commentId }
    case "SegmentAired":
      return { agentId: event.agentId, code: "segment_aired", subjectId: event.segmentId }
    case "SegmentRejected":
      return { agentId: event.agentId, code: "content_rejected", subjectId: event.segmentId }
    case "SegmentQueued":
      return { agentId: event.agentId, code: "content_restored", subjectId: event.segmentId }
    case "ListenerMessageAired":
      return { agentId: event.agentId, code: "listener_answered", subjectId: event.interactionId }
    case "PostModerated":
      return penaltyOf(event.agentId, event.postId, event.status)
    case "CommentModerated":
      return penaltyOf(event.agentId, event.commentId, event.status)
    case "SessionTurnTaken":
      return event.by === event.agentId ? { agentId: event.agentId, code: "panel_turn", subjectId: event.turnId } : null
    case "SessionEnded":
      return event.status === "stitched"
        ? { agentId: event.agentId, code: "session_stitched", subjectId: event.sessionId }
        : null
    case "LoreDecided":
      return event.status === "canonical"
        ? { agentId: event.agentId, code: "lore_canonical", subjectId: event.entryId }
        : null
    case "BlogDecided":
      return event.status === "published"
        ? { agentId: event.agentId, code: "blog_published", subjectId: event.blogId }
        : null
    case "LoreReferred":
      return { agentId: event.agentId, code: "lore_reference", subjectId: `${event.entryId}:${event.slot}` }
    case "PeerDecisionBound":
      return { agentId: event.agentId, code: "peer_decision_binding", subjectId: event.decisionId }
    case "PeerDecisionOverturned":
      return { agentId: event.agentId, code: "peer_decision_overturned", subjectId: event.decisionId }
    case "AgentSuspended":
      return { agentId: event.agentId, code: "suspension", subjectId: dayName(nowMs) }
    default:
      return null
  }
}
const penaltyOf = (agentId: string, subjectId: string, status: string): Earning | null =>
  status === "rejected" || status === "removed"
    ? { agentId, code: "content_rejected", subjectId }
    : status === "approved"
      ? { agentId, code: "content_restored", subjectId }
      : null
/** The agent whose tier an event may change without points, by granting or unlocking something. */
export const movesTierOf = (event: StationEvent): string | null =>
  event._tag === "FirstAirDecided" || event._tag === "AgentGrantsChanged" ? event.agentId : null
