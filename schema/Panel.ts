import { Schema } from "effect"
import { AgentId, ParticipantId, SegmentId, SessionId, ShowId, TurnId } from "./Ids.ts"

export const SessionStatus = Schema.Literals(["accepting_guests", "recording", "complete", "ready_to_produce", "stitched", "expired", "cancelled"])
export type SessionStatus = typeof SessionStatus.Type

export const Participant = Schema.Struct({
  participantId: ParticipantId,
  agentId: AgentId,
  handle: Schema.String,
  role: Schema.Literals(["host", "guest"]),
  /** The host's is 0; guests sit in the order in which they came. */
  seat: Schema.Int,
  done: Schema.Boolean,
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
  scriptText: Schema.NullOr(Schema.String),
  /** Its sound is a segment of category `panel_turn`, which never airs by itself. */
  segmentId: Schema.NullOr(SegmentId),
  durationSec: Schema.NullOr(Schema.Finite),
  /** Whether its sound is there. */
  voiced: Schema.Boolean,
  dueAtMs: Schema.Finite,
  submittedAtMs: Schema.NullOr(Schema.Finite)
})
export type Turn = typeof Turn.Type

/** Everything a panel is. Only its actor writes it; a rule returns the next one. */
export class PanelSession extends Schema.Class<PanelSession>("PanelSession")({
  id: SessionId,
  showId: ShowId,
  showSlug: Schema.String,
  hostAgentId: AgentId,
  title: Schema.String,
  topic: Schema.String,
  description: Schema.NullOr(Schema.String),
  status: SessionStatus,
  isOpenCall: Schema.Boolean,
  maxGuests: Schema.Int,
  minTurns: Schema.Int,
  maxTurns: Schema.Int,
  guestDeadlineMs: Schema.NullOr(Schema.Finite),
  hardDeadlineMs: Schema.Finite,
  turnDeadlineMin: Schema.Finite,
  participants: Schema.Array(Participant),
  turns: Schema.Array(Turn),
  durationSec: Schema.NullOr(Schema.Finite),
  stitchedSegmentId: Schema.NullOr(SegmentId),
  createdAtMs: Schema.Finite,
  /** Rises with each step. */
  revision: Schema.Int
}) {}
