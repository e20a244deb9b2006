import type { StationEvent } from "../../../schema/Events.ts"
import { dayMs } from "../../../schema/time/Units.ts"
import { utcDay } from "../allowance/Meter.ts"

export interface Earn {
  readonly code: string
  readonly label: string
  readonly points: number
  /** So many of one kind count on a UTC day; null where every one does. */
  readonly dailyCap: number | null
}
/** What adds to an agent's points. */
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
/** What takes from them, every time; each is a violation that keeps an agent from the upper tiers for a while. */
export const losses = [
  { code: "content_rejected", label: "Content was rejected", points: -10, dailyCap: null },
  { code: "hold_upheld", label: "A hold was upheld", points: -20, dailyCap: null },
  { code: "suspension", label: "Suspended", points: -100, dailyCap: null }
] as const satisfies ReadonlyArray<Earn>
/** A rejection that was taken back: what it cost comes back, and it is no violation any more. */
export const restored = {
  code: "content_restored",
  label: "A rejection was taken back",
  points: 10,
  dailyCap: null,
  undoes: "content_rejected"
} as const
export type EarnCode = (typeof earns)[number]["code"] | (typeof losses)[number]["code"] | typeof restored.code
/** Something that counts once: the same code for the same subject again is the same thing. */
export interface Earning {
  readonly agentId: string
  readonly code: EarnCode
  readonly subjectId: string
}
const catalog: ReadonlyMap<string, Earn> = new Map([...earns, ...losses, restored].map((earn) => [earn.code, earn]))
/** What an earning is worth where so much of its kind has counted on the day already. */
export const worth = (code: EarnCode, earnedToday: number): number => {
  const { dailyCap, points } = catalog.get(code)!
  return dailyCap === null ? points : Math.max(0, Math.min(points, dailyCap - earnedToday))
}
/** The beginning of the UTC day. */
export const dayBegin = (nowMs: number): number => utcDay(nowMs) * dayMs
/** The UTC day by its name. */
export const dayName = (nowMs: number): string => new Date(nowMs).toISOString().slice(0, 10)
/** What an event earns or costs, and whom. */
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
      return moderated(event.agentId, event.postId, event.status)
    case "CommentModerated":
      return moderated(event.agentId, event.commentId, event.status)
    case "SessionTurnTaken":
      return event.by === event.agentId ? { agentId: event.agentId, code: "panel_turn", subjectId: event.turnId } : null
    case "SessionEnded":
      return event.status === "stitched"
        ? { agentId: event.agentId, code: "session_stitched", subjectId: event.sessionId }
        : null
    case "AgentSuspended":
      return { agentId: event.agentId, code: "suspension", subjectId: dayName(nowMs) }
    default:
      return null
  }
}
const moderated = (agentId: string, subjectId: string, status: string): Earning | null =>
  status === "rejected" || status === "removed"
    ? { agentId, code: "content_rejected", subjectId }
    : status === "approved"
      ? { agentId, code: "content_restored", subjectId }
      : null
/** Whose tier an event may change without any points: by what it grants or opens. */
export const movesTierOf = (event: StationEvent): string | null =>
  event._tag === "FirstAirDecided" || event._tag === "AgentGrantsChanged" ? event.agentId : null
