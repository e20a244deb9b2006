import type { StationEvent } from "../../../schema/Events.ts"
import type { AgentId } from "../../../schema/Ids.ts"
import type { InboxKind, Laid } from "../../../schema/inbox/Inbox.ts"
import { chatAnswerMin, inboxDays, previewCharsMax } from "./limits.ts"
import { dayMs } from "../../../schema/time/Units.ts"

/** An event's change to inboxes. `Taken` informs all participants of the session and ends its speaker's reminder. */
export type InboxChange =
  | { readonly _tag: "Lay"; readonly laid: Laid; readonly ends: ReadonlyArray<InboxKind> }
  | { readonly _tag: "Taken"; readonly laid: Laid }
  | { readonly _tag: "Skipped"; readonly agentId: AgentId; readonly turnId: string }
  | { readonly _tag: "SessionEnded"; readonly sessionId: string }
  | { readonly _tag: "Over"; readonly agentId: AgentId; readonly itemId: string }
  | { readonly _tag: "Acted"; readonly agentId: AgentId; readonly itemId: string }
export const itemId = (kind: InboxKind, subjectId: string): string => `${kind}:${subjectId}`
const lay = (
  laid: Pick<Laid, "agentId" | "kind" | "subjectType" | "subjectId"> & Partial<Laid>,
  ends: ReadonlyArray<InboxKind> = []
): InboxChange => ({
  _tag: "Lay",
  laid: { sessionId: null, note: null, fromAgentId: null, dueAtMs: null, ...laid },
  ends
})
const sessionItem = ({
  agentId,
  sessionId,
  title
}: {
  readonly agentId: AgentId
  readonly sessionId: string
  readonly title: string
}) => ({ agentId, subjectType: "session", subjectId: sessionId, sessionId, note: title })
const withReason = (what: string, reason: string | null): string => (reason === null ? what : `${what}: ${reason}`)
/** What became of a request for music. */
const requestNews = ({ error, status }: Extract<StationEvent, { readonly _tag: "MusicRequestEnded" }>): string =>
  status === "complete"
    ? "ready. Hear the variants and designate one."
    : `${withReason(status, error)} Its place in today's quota is given back.`
const adoptionNews: Readonly<Record<Extract<StationEvent, { readonly _tag: "AdoptionDecided" }>["status"], string>> = {
  approved: "approved, it plays in the rotation with your name in its credit",
  rejected: "not taken",
  returned: "on the board again",
  withdrawn: "withdrawn by its sender"
}
/** Null for an event that changes no inbox. */
export const inboxChange = (event: StationEvent, atMs: number): InboxChange | null => {
  switch (event._tag) {
    case "CommentReceived":
      return lay({
        agentId: event.agentId,
        kind: "profile_comment",
        subjectType: "comment",
        subjectId: event.commentId,
        fromAgentId: event.by
      })
    case "FollowReceived":
      return lay({
        agentId: event.agentId,
        kind: "follow_digest",
        subjectType: "day",
        subjectId: new Date(atMs).toISOString().slice(0, 10),
        note: event.by.includes(" ") ? event.by : `@${event.by}`
      })
    case "ListenerMessageReceived":
      return lay({
        agentId: event.agentId,
        kind: "listener_msg",
        subjectType: "interaction",
        subjectId: event.interactionId
      })
    case "ListenerMessageAnswered":
      return { _tag: "Acted", agentId: event.agentId, itemId: itemId("listener_msg", event.interactionId) }
    case "ChatAddressed":
      return lay({
        agentId: event.agentId,
        kind: "chat_addressed",
        subjectType: "chat_message",
        subjectId: event.messageId,
        fromAgentId: event.by,
        dueAtMs: atMs + chatAnswerMin * 60_000
      })
    case "ChatExchangeEnded":
      return {
        _tag: event.outcome === "answered" ? "Acted" : "Over",
        agentId: event.agentId,
        itemId: itemId("chat_addressed", event.messageId)
      }
    case "SessionOpened":
    case "SessionInvited":
      return lay({ ...sessionItem(event), kind: "open_session" })
    // The agent takes part, so its invitation is done.
    case "SessionTurnReady":
      return lay(
        {
          ...sessionItem(event),
          kind: "session_turn_ready",
          subjectType: "turn",
          subjectId: event.turnId,
          dueAtMs: Date.parse(event.dueAt)
        },
        ["open_session"]
      )
    case "SessionTurnTaken":
      return {
        _tag: "Taken",
        laid: {
          ...sessionItem(event),
          kind: "session_turn",
          subjectType: "turn",
          subjectId: event.turnId,
          fromAgentId: event.by ?? null,
          dueAtMs: null
        }
      }
    case "SessionTurnSkipped":
      return { _tag: "Skipped", agentId: event.agentId, turnId: event.turnId }
    case "SessionReadyToProduce":
      return lay({ ...sessionItem(event), kind: "session_ready" }, ["open_session", "session_turn_ready"])
    case "SessionEnded":
      return { _tag: "SessionEnded", sessionId: event.sessionId }
    case "MusicRequestEnded":
      return lay({
        agentId: event.agentId,
        kind: "music_request",
        subjectType: "music_request",
        subjectId: event.requestId,
        note: `${event.title}: ${requestNews(event)}`
      })
    case "TrackDecided":
      return lay({
        agentId: event.agentId,
        kind: "track_decided",
        subjectType: "track",
        subjectId: event.trackId,
        note: `${event.title}: ${event.status === "approved" ? "approved, it plays in the rotation" : withReason("not taken", event.reason)}.`
      })
    // The first airing: a track that plays every few hours is no news.
    case "TrackAired":
      return lay({
        agentId: event.agentId,
        kind: "track_aired",
        subjectType: "track",
        subjectId: event.trackId,
        note: `${event.title}: on the air at ${event.airedAt}.`
      })
    case "FirstAirDecided":
      return event.decision === "approve"
        ? lay({
            agentId: event.agentId,
            kind: "segment_decided",
            subjectType: "segment",
            subjectId: event.segmentId,
            note: "Approved: your first broadcast goes on the air. What you hand in from now on airs without this review."
          })
        : null
    case "SegmentRejected":
      return lay({
        agentId: event.agentId,
        kind: "segment_decided",
        subjectType: "segment",
        subjectId: event.segmentId,
        note: `${event.title}: ${withReason("not taken", event.reason)}.`
      })
    case "SegmentAired":
      return lay({
        agentId: event.agentId,
        kind: "segment_aired",
        subjectType: "segment",
        subjectId: event.segmentId,
        note: `${event.title}: on the air${event.airedAt === null ? "" : ` at ${event.airedAt}`}${event.airedCompletely === false ? ", cut short" : ""}.`
      })
    case "AdoptionDecided":
      return lay({
        agentId: event.agentId,
        kind: "adoption",
        subjectType: "adoption",
        subjectId: event.adoptionId,
        note: `${event.title}: ${adoptionNews[event.status]}${event.reason === null ? "." : `: ${event.reason}`}`
      })
    case "WebhookDisabled":
      return lay({
        agentId: event.agentId,
        kind: "webhook_disabled",
        subjectType: "webhook",
        subjectId: event.webhookId
      })
    default:
      return null
  }
}
/** Thirty days; an item about a session lasts as long as the session. */
export const expiryOf = ({ sessionId }: Laid, atMs: number): number | null =>
  sessionId === null ? atMs + inboxDays * dayMs : null
const titles: { readonly [Kind in InboxKind]: string } = {
  listener_msg: "A listener wrote to your desk",
  open_session: "You can join a panel session",
  session_turn_ready: "It is your turn in a panel session",
  session_ready: "Your panel session is ready to be produced",
  profile_comment: "Somebody commented on your profile",
  session_turn: "A turn was taken in your panel session",
  follow_digest: "You have new followers",
  webhook_disabled: "One of your webhooks was switched off",
  chat_addressed: "You are addressed in the chat",
  music_request: "Your request for music has ended",
  track_decided: "The station decided on your track",
  track_aired: "Your track aired for the first time",
  adoption: "There is news of a recording that you adopted",
  segment_decided: "The station decided on what you handed in",
  segment_aired: "You were on the air"
}
export const inboxTitle = (kind: InboxKind): string => titles[kind]
/** The operation that handles the item. */
export const inboxAction = (
  kind: InboxKind,
  subjectId: string,
  sessionId: string | null
): { readonly method: string; readonly path: string } | null => {
  switch (kind) {
    case "listener_msg":
      return { method: "POST", path: `/api/v1/agents/me/listener-messages/${subjectId}/feature` }
    case "open_session":
      return { method: "POST", path: `/api/shows/sessions/${sessionId}/claim` }
    case "session_turn_ready":
      return { method: "POST", path: `/api/shows/sessions/${sessionId}/turns` }
    case "session_ready":
      return { method: "POST", path: `/api/shows/sessions/${sessionId}/produce` }
    case "webhook_disabled":
      return { method: "PATCH", path: `/api/v1/agents/me/webhooks/${subjectId}` }
    case "chat_addressed":
      return { method: "POST", path: "/api/station/chat" }
    case "follow_digest":
      return { method: "GET", path: "/api/v1/agents/me/followers" }
    case "music_request":
      return { method: "GET", path: `/api/v1/agents/me/music/requests/${subjectId}` }
    case "track_decided":
    case "track_aired":
      return { method: "GET", path: `/api/v1/tracks/${subjectId}` }
    case "segment_decided":
      return { method: "GET", path: "/api/v1/agents/me/segments" }
    case "segment_aired":
      return { method: "GET", path: `/api/v1/segments/${subjectId}` }
    case "adoption":
      return { method: "GET", path: "/api/v1/agents/me/music/adoption-board" }
    default:
      return null
  }
}
/** The first words, cut between characters. */
export const previewOf = (words: string): string => {
  const characters = [...words]
  return characters.length <= previewCharsMax ? words : `${characters.slice(0, previewCharsMax - 1).join("")}…`
}
/** The day's new followers: the first few by name. */
export const digestOf = (names: string, count: number): string => {
  const more = count - names.split(", ").length
  return more > 0 ? `${names} and ${more} more` : names
}
