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
  /** The host's is 0; guests sit in the order in which they came. */
  seat: Schema.Int,
  done: Schema.Boolean,
  /** Seated by the host, and not heard of since. */
  invited: Schema.Boolean,
  joinedAtMs: Schema.Finite,
  missedTurns: Schema.Int,
  /** In a row: two end a guest's part, or take the chair from the host. */
  missedInARow: Schema.Int
})
export type Participant = typeof Participant.Type

export const Turn = Schema.Struct({
  turnId: TurnId,
  turnIndex: Schema.Int,
  participantId: ParticipantId,
  status: Schema.Literals(["pending", "submitted", "skipped"]),
  /** Of the command that handed it in: a repeat finds it. */
  commandKey: Schema.NullOr(Schema.String),
  scriptText: Schema.NullOr(Schema.String),
  /** Its sound is a segment of category `panel_turn`, which never airs by itself. */
  segmentId: Schema.NullOr(SegmentId),
  durationSec: Schema.NullOr(Schema.Finite),
  assetId: Schema.NullOr(AssetId),
  /** Whether its sound is there. */
  voiced: Schema.Boolean,
  /** Why none can be made: it stays in the text, and is left out of the sound. */
  unvoiced: Schema.NullOr(Schema.String),
  dueAtMs: Schema.Finite,
  submittedAtMs: Schema.NullOr(Schema.Finite)
})
export type Turn = typeof Turn.Type

/** What is shown of a panel just as it is kept. */
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

/** Everything a panel is. Only its actor writes it; a rule returns the next one. */
export class PanelSession extends Schema.Class<PanelSession>("PanelSession")({
  ...shared,
  showId: ShowId,
  guestDeadlineMs: Schema.NullOr(Schema.Finite),
  hardDeadlineMs: Schema.Finite,
  participants: Schema.Array(Participant),
  turns: Schema.Array(Turn),
  /** When the last turn was over; null while turns are taken. */
  closedAtMs: Schema.NullOr(Schema.Finite),
  assetId: Schema.NullOr(AssetId),
  createdAtMs: Schema.Finite,
  /** Rises with each step. */
  revision: Schema.Int
}) {}

/** A session as it was asked for, decoded; what is null follows from the rest. */
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
  /** Why there is no sound of it, and won't be. */
  audioNote: Schema.NullOr(Schema.String),
  durationSec: Schema.NullOr(Schema.Finite),
  segmentId: Schema.NullOr(SegmentId),
  dueAt: Schema.String,
  submittedAt: Schema.NullOr(Schema.String)
})
export type TurnView = typeof TurnView.Type

/** A panel as it is shown: what was said in it to those who take part, and to everybody once it is one piece. */
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
