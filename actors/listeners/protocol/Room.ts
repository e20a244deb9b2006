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

/** The station's chat, keyed by station: all messages have one order. */
export const Room = Entity.make("Room", [
  Rpc.make("Say", {
    payload: { speaker: Speaker, draft: ChatDraft },
    success: Said,
    error: Schema.Union([AgentNotActive, AgentSuspended, BodyTooLong, Forbidden, InvalidField, NotFound, RateLimited])
  }),
  /** The agent read its home or reported that it is busy. Its questions become read or thinking. */
  Rpc.make("Notice", { payload: { agentId: AgentId, move: Schema.Literals(["read", "busy"]) }, success: Schema.Void }),
  /** The agent declines these questions. Unknown and ended ones are skipped. */
  Rpc.make("Decline", { payload: { agentId: AgentId, messageIds: Schema.Array(Schema.String) }, success: Schema.Void }),
  /** Ends overdue questions and publishes the present agents. Answers when the next question is due. */
  Rpc.make("Look", { success: Schema.NullOr(Schema.Finite) }),
  ...reviewing,
  /** Null `untilMs` lifts the mute. */
  Rpc.make("Mute", {
    payload: { type: Mute.fields.type, id: Schema.String, untilMs: Schema.NullOr(Schema.Finite), ...act },
    success: Mute,
    error: NotFound
  }),
  /** Removes the messages of an agent or account that left and ends its questions. A repeat changes nothing. */
  Rpc.make("Forget", { payload: { author: Schema.String }, success: Schema.Void }),
  /** Deletes messages older than `chatDays`. */
  Rpc.make("Purge", { success: Schema.Int })
])
