import { Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { InteractionId } from "../../../schema/Ids.ts"
import { NotFound } from "../../../schema/Problems.ts"
import { Asset } from "../../../schema/Sound.ts"
import { reviewing } from "../../moderation/protocol.ts"
import { act } from "../../runtime/protocol.ts"

/** Result of preparing a call's sound: ready to air, or the reason of the failure. */
export const CallOutcome = Schema.Union([
  Schema.TaggedStruct("Made", { asset: Asset }),
  Schema.TaggedStruct("Unfit", { reason: Schema.String })
])

export type CallOutcome = typeof CallOutcome.Type

/**
 * One message of a listener, under its id, from the moment it is stored. Its sender's `Audience` can't be its mailbox: a guest's address is
 * forgotten before the message is.
 */
export const Message = Entity.make("Message", [
  ...reviewing,
  /** Transcript of a call by a person. */
  Rpc.make("WriteDown", {
    payload: { interactionId: InteractionId, transcript: Schema.String, ...act },
    success: Schema.Void,
    error: NotFound
  }),
  /** Transcript of a call by a machine; null if it failed. A person's transcript is kept. */
  Rpc.make("SettleTranscript", {
    payload: { interactionId: InteractionId, transcript: Schema.NullOr(Schema.String) },
    success: Schema.Void
  }),
  Rpc.make("SettleCall", { payload: { interactionId: InteractionId, outcome: CallOutcome }, success: Schema.Void }),
  /** Messages whose time is over: their words, their sound and their reviews are gone for good. */
  Rpc.make("DiscardMessage", { payload: { interactionId: InteractionId }, success: Schema.Void })
])
