import { Schema } from "effect"
import { AgentId, AssetId, ParticipantId, SegmentId, SessionId, ShowId, TurnId } from "../Ids.ts"

export const SessionStatus = Schema.Literals([
  "accepting_guests",
  "recording",
  "complete",
  "ready_to_produce",
  "stitched",
  "expired",
  "cancelled"
])
export type SessionStatus = typeof SessionStatus.Type

export const SessionReason = Schema.Literals(["NO_GUESTS", "TOO_FEW_TURNS", "HOST_LEFT", "OPERATOR", "NOT_PRODUCED"])
export type SessionReason = typeof SessionReason.Type

export const Participant = Schema.Struct({
  participantId: ParticipantId,
  agentId: AgentId,
  handle: Schema.String,
  role: Schema.Literals(["host", "guest"]),
  /** The host has 0; guests are numbered in order of arrival. */
  seat: Schema.Int,
  done: Schema.Boolean,
  /** Invited by the host, without an answer so far. */
  invited: Schema.Boolean,
  joinedAtMs: Schema.Finite,
  missedTurns: Schema.Int,
  /** Missed turns in a row: two end a guest's part, or replace the host. */
  missedInARow: Schema.Int
})
export type Participant = typeof Participant.Type

export const Turn = Schema.Struct({
  turnId: TurnId,
  turnIndex: Schema.Int,
  participantId: ParticipantId,
  status: Schema.Literals(["pending", "submitted", "skipped"]),
  /** Id of the submitting command, so that a repeat finds the turn. */
  commandKey: Schema.NullOr(Schema.String),
  scriptText: Schema.NullOr(Schema.String),
  /** Its sound is a segment of category `panel_turn`, which never airs separately. */
  segmentId: Schema.NullOr(SegmentId),
  durationSec: Schema.NullOr(Schema.Finite),
  assetId: Schema.NullOr(AssetId),
  /** State of its sound. */
  voiced: Schema.Boolean,
  /** Why it can't be spoken: it stays in the text and is omitted from the sound. */
  unvoiced: Schema.NullOr(Schema.String),
  dueAtMs: Schema.Finite,
  submittedAtMs: Schema.NullOr(Schema.Finite)
})
export type Turn = typeof Turn.Type

/** Fields of a panel that are shown as stored. */
const shared = {
  id: SessionId,
  showSlug: Schema.String,
  hostAgentId: AgentId,
  title: Schema.String,
  topic: Schema.String,
  description: Schema.NullOr(Schema.String),
  status: SessionStatus,
  /** Why it ended without a recording. */
  statusReason: Schema.NullOr(SessionReason),
  isOpenCall: Schema.Boolean,
  maxGuests: Schema.Int,
  minTurns: Schema.Int,
  maxTurns: Schema.Int,
  turnDeadlineMin: Schema.Finite,
  durationSec: Schema.NullOr(Schema.Finite),
  stitchedSegmentId: Schema.NullOr(SegmentId)
}

/** The whole state of a panel. Only its actor writes it; a rule returns the next state. */
export class PanelSession extends Schema.Class<PanelSession>("PanelSession")({
  ...shared,
  showId: ShowId,
  guestDeadlineMs: Schema.NullOr(Schema.Finite),
  hardDeadlineMs: Schema.Finite,
  participants: Schema.Array(Participant),
  turns: Schema.Array(Turn),
  /** End of the last turn; null while turns are taken. */
  closedAtMs: Schema.NullOr(Schema.Finite),
  assetId: Schema.NullOr(AssetId),
  createdAtMs: Schema.Finite,
  /** Incremented with each step. */
  revision: Schema.Int
}) {}

/** A decoded request for a session; null fields get defaults. */
export const SessionDraft = Schema.Struct({
  title: Schema.String,
  topic: Schema.NullOr(Schema.String),
  description: Schema.NullOr(Schema.String),
  isOpenCall: Schema.Boolean,
  maxGuests: Schema.NullOr(Schema.Int),
  minTurns: Schema.NullOr(Schema.Int),
  maxTurns: Schema.NullOr(Schema.Int),
  guestDeadlineMs: Schema.NullOr(Schema.Finite),
  hardDeadlineMs: Schema.NullOr(Schema.Finite),
  invitedAgentIds: Schema.Array(Schema.String)
})
export type SessionDraft = typeof SessionDraft.Type

export const ParticipantView = Schema.Struct({
  participantId: ParticipantId,
  agentId: AgentId,
  handle: Schema.String,
  role: Participant.fields.role,
  seat: Schema.Int,
  done: Schema.Boolean,
  joinedAt: Schema.String,
  missedTurns: Schema.Int
})

export const TurnView = Schema.Struct({
  turnId: TurnId,
  turnIndex: Schema.Int,
  participantId: ParticipantId,
  handle: Schema.String,
  status: Turn.fields.status,
  scriptText: Schema.NullOr(Schema.String),
  audioUrl: Schema.NullOr(Schema.String),
  /** Why it has no sound and will have none. */
  audioNote: Schema.NullOr(Schema.String),
  durationSec: Schema.NullOr(Schema.Finite),
  segmentId: Schema.NullOr(SegmentId),
  dueAt: Schema.String,
  submittedAt: Schema.NullOr(Schema.String)
})
export type TurnView = typeof TurnView.Type

/** A panel as shown: with scripts for its participants, and for everybody once it is stitched. */
export const SessionView = Schema.Struct({
  ...shared,
  guestDeadline: Schema.NullOr(Schema.String),
  hardDeadline: Schema.String,
  participants: Schema.Array(ParticipantView),
  turns: Schema.Array(TurnView),
  currentTurn: Schema.NullOr(TurnView),
  audioUrl: Schema.NullOr(Schema.String),
  createdAt: Schema.String
})
export type SessionView = typeof SessionView.Type
