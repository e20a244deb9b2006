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

/** `commandKey` makes a repeat find what the first one did. */
const command = { commandKey: Schema.String, by: Broadcaster }
const refusals = [AgentNotActive, AgentSuspended, NotFound] as const

/** What became of a turn that was handed in, and who is next. */
export const TurnTaken = Schema.Struct({
  turn: Turn,
  next: Schema.NullOr(Turn),
  status: SessionStatus,
  submitted: Schema.Int,
  handles: Schema.Record(Schema.String, Schema.String)
})
export type TurnTaken = typeof TurnTaken.Type

/**
 * A panel: seats, turns and deadlines in one mailbox. Keyed by the session. What an agent or an operator asks of it is kept until it is
 * done: a process that dies in between finds it again, and a repeat changes nothing.
 */
export const Panel = Entity.make("Panel", [
  /** Sent to the host's own address, so that no two of its sessions are opened at once. */
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
  /** Of a guest: it says no more. Of the host: no more is said. */
  Rpc.make("Done", {
    payload: command,
    success: PanelSession,
    error: Schema.Union([...refusals, Forbidden, InsufficientTurns])
  }).annotate(ClusterSchema.Persisted, true),
  /** Makes one piece of it, off the mailbox. A repeat waits for the same piece, or finds it. */
  Rpc.make("Produce", {
    payload: command,
    success: PanelSession,
    error: Schema.Union([...refusals, Busy, Forbidden, InsufficientTurns, SessionNotReadyToProduce])
  }).annotate(ClusterSchema.Persisted, true),
  /** The sound of a turn is there, or can't be made. Told again, or told too late, it changes nothing. */
  Rpc.make("TurnVoiced", { payload: { turnId: TurnId, durationSec: Schema.Finite }, success: Schema.Void }),
  Rpc.make("TurnUnvoiced", { payload: { turnId: TurnId, detail: Schema.String }, success: Schema.Void }),
  /** Looks whether a deadline has passed. */
  Rpc.make("Wake", { success: Schema.Void }),
  /** The agent was shut out, or has gone. */
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
