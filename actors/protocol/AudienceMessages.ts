import { Schema } from "effect"
import { Rpc } from "effect/rpc"
import { HumanId, InteractionId } from "../../schema/Ids.ts"
import { CallConfirmed, CallInDraft, Confirmed, Sender, WriteInDraft } from "../../schema/Message.ts"
import { BroadcastConsentRequired, Busy, InvalidField, NotFound, RateLimited, ShowNotFound, SubjectConflict, TrackNotFound } from "../../schema/Problems.ts"
import { Judgement } from "../../schema/Review.ts"
import { Asset } from "../../schema/Sound.ts"
import { act } from "./Act.ts"
import { reviewing } from "./Reviewing.ts"

/** `commandKey` makes a repeat find what the first one made. */
const command = { commandKey: Schema.String, from: Sender, dryRun: Schema.Boolean }
const refusals = [BroadcastConsentRequired, InvalidField, RateLimited, ShowNotFound, TrackNotFound] as const

/** What became of a call's sound: ready to air, or why it can't. */
export const CallOutcome = Schema.Union([Schema.TaggedStruct("Made", { asset: Asset }), Schema.TaggedStruct("Unfit", { reason: Schema.String })])
export type CallOutcome = typeof CallOutcome.Type

/**
 * What listeners write and say. Sent to the `Audience` of who sends it; what is done with a message afterwards goes to the one of the
 * message's own id, for nobody remembers a guest's address as long as that.
 */
export const audienceMessages = [
  Rpc.make("WriteIn", { payload: { ...command, draft: WriteInDraft }, success: Confirmed, error: Schema.Union(refusals) }),
  Rpc.make("CallIn", { payload: { ...command, draft: CallInDraft }, success: CallConfirmed, error: Schema.Union([...refusals, Busy]) }),
  ...reviewing,
  /** Takes a message off the desk, sets it aside or sets it free. A repeat changes nothing. */
  Rpc.make("JudgeMessage", { payload: { interactionId: InteractionId, judgement: Judgement, ...act }, success: Schema.Void, error: Schema.Union([NotFound, SubjectConflict]) }),
  /** What a person has written down of a call. */
  Rpc.make("WriteDown", { payload: { interactionId: InteractionId, transcript: Schema.String, dryRun: Schema.Boolean, ...act }, success: Schema.Void, error: NotFound }),
  /** What a machine has; null where it can't. What a person wrote stands. */
  Rpc.make("SettleTranscript", { payload: { interactionId: InteractionId, transcript: Schema.NullOr(Schema.String) }, success: Schema.Void }),
  Rpc.make("SettleCall", { payload: { interactionId: InteractionId, outcome: CallOutcome }, success: Schema.Void }),
  /** Messages whose time is over: their words, their sound and their reviews are gone for good. */
  Rpc.make("DiscardMessage", { payload: { interactionId: InteractionId }, success: Schema.Void }),
  /** A person is erased: what aired stays as a listener's, everything else goes. */
  Rpc.make("ForgetMessages", { payload: { humanId: HumanId }, success: Schema.Void })
] as const
