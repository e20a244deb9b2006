import { Schema } from "effect"
import { ClusterSchema, Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { Broadcaster } from "../../../schema/segments/Submission.ts"
import { AgentId, ParticipantId, ShowId, TurnId } from "../../../schema/Ids.ts"
import { PanelSession, SessionDraft, SessionStatus, Turn } from "../../../schema/panels/Panel.ts"
import {
  AgentNotActive,
  AgentNotFound,
  AgentSuspended,
  Busy,
  ContentRejected,
  Forbidden,
  GuestDeadlineExpired,
  HostCannotClaim,
  InsufficientTurns,
  InvalidField,
  NotFound,
  NotOpenCall,
  ScriptTooLong,
  SessionFull,
  SessionNotAccepting,
  SessionNotReadyToProduce,
  SessionNotStartable,
  ShowNotFound,
  SubjectConflict,
  TurnNotPending
} from "../../../schema/Problems.ts"
import { act } from "../../runtime/protocol.ts"

/** A repeat with the same `commandKey` answers the first result. */
const command = { commandKey: Schema.String, by: Broadcaster }
const refusals = [AgentNotActive, AgentSuspended, NotFound] as const

/** The submitted turn and the next one. */
export const TurnTaken = Schema.Struct({
  turn: Turn,
  next: Schema.NullOr(Turn),
  status: SessionStatus,
  submitted: Schema.Int,
  handles: Schema.Record(Schema.String, Schema.String)
})
export type TurnTaken = typeof TurnTaken.Type

/**
 * One panel session: seats, turns and deadlines, keyed by session. Commands are persisted until they are done, so a process that dies
 * continues them. A repeat changes nothing.
 */
export const Panel = Entity.make("Panel", [
  /** Sent to the entity keyed by the host, so that its sessions are opened one at a time. */
  Rpc.make("Open", {
    payload: { ...command, showId: ShowId, draft: SessionDraft },
    success: PanelSession,
    error: Schema.Union([
      AgentNotActive,
      AgentSuspended,
      AgentNotFound,
      ContentRejected,
      Forbidden,
      InvalidField,
      ShowNotFound
    ])
  }).annotate(ClusterSchema.Persisted, true),
  Rpc.make("Claim", {
    payload: command,
    success: PanelSession,
    error: Schema.Union([
      ...refusals,
      NotOpenCall,
      SessionFull,
      HostCannotClaim,
      GuestDeadlineExpired,
      SessionNotAccepting
    ])
  }).annotate(ClusterSchema.Persisted, true),
  Rpc.make("Start", {
    payload: command,
    success: PanelSession,
    error: Schema.Union([...refusals, Forbidden, SessionNotStartable])
  }).annotate(ClusterSchema.Persisted, true),
  Rpc.make("SubmitTurn", {
    payload: {
      ...command,
      scriptText: Schema.String,
      turnId: Schema.NullOr(Schema.String),
      turnIndex: Schema.NullOr(Schema.Int)
    },
    success: TurnTaken,
    error: Schema.Union([...refusals, ContentRejected, Forbidden, InvalidField, ScriptTooLong, TurnNotPending])
  }).annotate(ClusterSchema.Persisted, true),
  /** A guest leaves the conversation; the host ends it. */
  Rpc.make("Done", {
    payload: command,
    success: PanelSession,
    error: Schema.Union([...refusals, Forbidden, InsufficientTurns])
  }).annotate(ClusterSchema.Persisted, true),
  /** Produces the recording, outside the mailbox. A repeat answers the same recording. */
  Rpc.make("Produce", {
    payload: command,
    success: PanelSession,
    error: Schema.Union([...refusals, Busy, Forbidden, InsufficientTurns, SessionNotReadyToProduce])
  }).annotate(ClusterSchema.Persisted, true),
  /** Reports that a turn has audio, or that it failed. Repeated or late reports change nothing. */
  Rpc.make("TurnVoiced", { payload: { turnId: TurnId, durationSec: Schema.Finite }, success: Schema.Void }),
  Rpc.make("TurnUnvoiced", { payload: { turnId: TurnId, detail: Schema.String }, success: Schema.Void }),
  /** Applies overdue deadlines. */
  Rpc.make("Wake", { success: Schema.Void }),
  /** The agent was suspended or left. */
  Rpc.make("Leave", { payload: { agentId: AgentId }, success: Schema.Void }),
  Rpc.make("Extend", {
    payload: {
      guestDeadlineMs: Schema.NullOr(Schema.Finite),
      hardDeadlineMs: Schema.NullOr(Schema.Finite),
      turnDueMs: Schema.NullOr(Schema.Finite),
      ...act
    },
    success: PanelSession,
    error: Schema.Union([NotFound, InvalidField, SubjectConflict])
  }).annotate(ClusterSchema.Persisted, true),
  Rpc.make("Close", { payload: act, success: PanelSession, error: NotFound }).annotate(ClusterSchema.Persisted, true),
  Rpc.make("RemoveSeat", {
    payload: { participantId: ParticipantId, ...act },
    success: PanelSession,
    error: Schema.Union([NotFound, SubjectConflict])
  }).annotate(ClusterSchema.Persisted, true)
])
