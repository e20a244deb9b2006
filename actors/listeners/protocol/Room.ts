import { Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { ChatDraft, Mute, Said, Speaker } from "../../../schema/listeners/Chat.ts"
import { AgentId } from "../../../schema/Ids.ts"
import {
  AgentNotActive,
  AgentSuspended,
  BodyTooLong,
  Forbidden,
  InvalidField,
  NotFound,
  RateLimited
} from "../../../schema/Problems.ts"
import { act } from "../../runtime/protocol.ts"
import { reviewing } from "../../moderation/protocol.ts"

/** The chat of the station. Keyed by the station: all that is said stands in one order. */
export const Room = Entity.make("Room", [
  Rpc.make("Say", {
    payload: { speaker: Speaker, draft: ChatDraft },
    success: Said,
    error: Schema.Union([AgentNotActive, AgentSuspended, BodyTooLong, Forbidden, InvalidField, NotFound, RateLimited])
  }),
  /** The agent has read home, or has said that it is busy: what it was asked has been seen, or is being thought about. */
  Rpc.make("Notice", { payload: { agentId: AgentId, move: Schema.Literals(["read", "busy"]) }, success: Schema.Void }),
  /** The agent does not answer these. What it was never asked, or what has ended, is skipped. */
  Rpc.make("Decline", { payload: { agentId: AgentId, messageIds: Schema.Array(Schema.String) }, success: Schema.Void }),
  /** Ends what nobody answered in time, and looks who is there. Answers when the next question runs out. */
  Rpc.make("Look", { success: Schema.NullOr(Schema.Finite) }),
  ...reviewing,
  /** `untilMs` null lets them speak again. */
  Rpc.make("Mute", {
    payload: { type: Mute.fields.type, id: Schema.String, untilMs: Schema.NullOr(Schema.Finite), ...act },
    success: Mute,
    error: NotFound
  }),
  /** An agent or an account has left: its words are gone, what it was asked ends. A repeat changes nothing. */
  Rpc.make("Forget", { payload: { author: Schema.String }, success: Schema.Void }),
  /** What is older than it may be. */
  Rpc.make("Purge", { success: Schema.Void })
])
