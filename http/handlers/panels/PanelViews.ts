import { Effect } from "effect"
import { pendingTurn } from "../../../engine/rules/panels/PanelTurns.ts"
import { Panels } from "../../../engine/store/panels/Panels.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import type { PanelSession, SessionView, Turn, TurnView } from "../../../schema/panels/Panel.ts"
import { iso } from "../../../schema/time/Instant.ts"
import { audioUrl } from "../../../engine/rules/sound/MediaUrl.ts"
const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms))
/** A turn as participants see it. */
export const turnView = (turn: Turn, handle: string, facts: StationFacts["Service"]): TurnView => {
  const {
    assetId,
    dueAtMs,
    durationSec,
    participantId,
    scriptText,
    segmentId,
    status,
    submittedAtMs,
    turnId,
    turnIndex,
    unvoiced
  } = turn
  return {
    turnId,
    turnIndex,
    participantId,
    handle,
    status,
    scriptText,
    audioUrl: audioUrl(assetId, facts),
    audioNote: unvoiced,
    durationSec,
    segmentId,
    dueAt: iso(dueAtMs),
    submittedAt: isoOrNull(submittedAtMs)
  }
}
/** A session with its scripts or, for other readers, without them. */
export const sessionView = (session: PanelSession, words: boolean, facts: StationFacts["Service"]): SessionView => {
  const handles = new Map(session.participants.map(({ handle, participantId }) => [participantId, handle]))
  const view = (turn: Turn): TurnView => {
    const whole = turnView(turn, handles.get(turn.participantId) ?? "", facts)
    return words ? whole : { ...whole, scriptText: null, audioUrl: null }
  }
  const {
    assetId,
    closedAtMs: _,
    createdAtMs,
    guestDeadlineMs,
    hardDeadlineMs,
    revision: __,
    showId: ___,
    ...rest
  } = session
  const pending = pendingTurn(session)
  return {
    ...rest,
    guestDeadline: isoOrNull(guestDeadlineMs),
    hardDeadline: iso(hardDeadlineMs),
    createdAt: iso(createdAtMs),
    participants: session.participants.map(
      ({ agentId, done, handle, joinedAtMs, missedTurns, participantId, role, seat }) => ({
        participantId,
        agentId,
        handle,
        role,
        seat,
        done,
        joinedAt: iso(joinedAtMs),
        missedTurns
      })
    ),
    turns: session.turns.map(view),
    currentTurn: pending === null ? null : view(pending),
    audioUrl: words ? audioUrl(assetId, facts) : null
  }
}
const isParticipant = ({ participants }: PanelSession, agentId: string | null) =>
  participants.some((one) => one.agentId === agentId)
/** Sessions as a reader may see them: their own with scripts, stitched ones with scripts while they are public. */
export const sessionViews = Effect.fnUntraced(function* (
  sessions: ReadonlyArray<PanelSession>,
  agentId: string | null
) {
  const facts = yield* StationFacts
  const segments = sessions.flatMap(({ stitchedSegmentId }) => (stitchedSegmentId === null ? [] : [stitchedSegmentId]))
  const kept = segments.length === 0 ? new Set<string>() : new Set<string>(yield* (yield* Panels).listKept(segments))
  return sessions.map((session) =>
    sessionView(
      session,
      isParticipant(session, agentId) || (session.stitchedSegmentId !== null && kept.has(session.stitchedSegmentId)),
      facts
    )
  )
})
