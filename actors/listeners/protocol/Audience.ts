import { Entity } from "effect/cluster"
import { audienceRequests } from "../../music/protocol/SongRequests.ts"
import { audienceVotes } from "../../music/protocol/TrackVotes.ts"
import { Schema } from "effect"
import { ListenerId, HumanId, InteractionId } from "../../../schema/Ids.ts"
import { act } from "../../runtime/protocol.ts"
import { Rpc } from "effect/rpc"
import {
  ListenerTokenRequired,
  ListenerAlreadyClaimed,
  Forbidden,
  NotFound,
  BroadcastConsentRequired,
  InvalidField,
  RateLimited,
  ShowNotFound,
  TrackNotFound,
  Busy
} from "../../../schema/Problems.ts"
import { Listener } from "../../../schema/listeners/Listener.ts"
import { Sender, WriteInDraft, Confirmed, CallInDraft, CallConfirmed } from "../../../schema/listeners/Message.ts"
import { Asset } from "../../../schema/Sound.ts"
import { reviewing } from "../../moderation/protocol.ts"

const refusals = [BroadcastConsentRequired, InvalidField, RateLimited, ShowNotFound, TrackNotFound] as const

/** What became of a call's sound: ready to air, or why it can't. */
export const CallOutcome = Schema.Union([
  Schema.TaggedStruct("Made", { asset: Asset }),
  Schema.TaggedStruct("Unfit", { reason: Schema.String })
])

export type CallOutcome = typeof CallOutcome.Type

/**
 * What listeners write and say. Sent to the `Audience` of who sends it; what is done with a message afterwards goes to the one of the
 * message's own id, for nobody remembers a guest's address as long as that.
 */
export const audienceMessages = [
  Rpc.make("WriteIn", {
    payload: { from: Sender, draft: WriteInDraft },
    success: Confirmed,
    error: Schema.Union(refusals)
  }),
  Rpc.make("CallIn", {
    payload: { from: Sender, draft: CallInDraft },
    success: CallConfirmed,
    error: Schema.Union([...refusals, Busy])
  }),
  ...reviewing,
  /** What a person has written down of a call. */
  Rpc.make("WriteDown", {
    payload: { interactionId: InteractionId, transcript: Schema.String, ...act },
    success: Schema.Void,
    error: NotFound
  }),
  /** What a machine has; null where it can't. What a person wrote stands. */
  Rpc.make("SettleTranscript", {
    payload: { interactionId: InteractionId, transcript: Schema.NullOr(Schema.String) },
    success: Schema.Void
  }),
  Rpc.make("SettleCall", { payload: { interactionId: InteractionId, outcome: CallOutcome }, success: Schema.Void }),
  /** Messages whose time is over: their words, their sound and their reviews are gone for good. */
  Rpc.make("DiscardMessage", { payload: { interactionId: InteractionId }, success: Schema.Void }),
  /** A person is erased: what aired stays as a listener's, everything else goes. */
  Rpc.make("ForgetMessages", { payload: { humanId: HumanId }, success: Schema.Void })
] as const

/** A token as it was shown, and found good. */
const shown = Schema.Struct({
  listenerId: ListenerId,
  text: Schema.String,
  issuedAtMs: Schema.Finite,
  expiresAtMs: Schema.Finite
})
const issued = Schema.Struct({ listenerId: ListenerId, token: Schema.String, expiresAtMs: Schema.Finite })
const command = { listenerId: ListenerId, ...act }
/** What a listener's token comes from, and what ends it. */
export const audienceSession = [
  /** With a token the listener stays who it is, and gets another one once that is old; without, it is new. `humanId`: whose session came along. */
  Rpc.make("OpenSession", {
    payload: { shown: Schema.NullOr(shown), humanId: Schema.NullOr(HumanId) },
    success: issued
  }),
  /** Its token was used. */
  Rpc.make("Seen", { payload: { listenerId: ListenerId, atMs: Schema.Finite } }),
  /** What the listener did becomes the account's, and the token another. A repeat changes nothing. */
  Rpc.make("Claim", {
    payload: { listenerId: Schema.String, token: Schema.String, humanId: HumanId },
    success: issued,
    error: Schema.Union([ListenerTokenRequired, ListenerAlreadyClaimed, Forbidden])
  }),
  /** What isn't named stays. */
  Rpc.make("ModerateListener", {
    payload: { ...command, blocked: Schema.NullOr(Schema.Boolean), voidTokens: Schema.Boolean },
    success: Listener,
    error: NotFound
  }),
  /** Answers who it was. */
  Rpc.make("EraseListener", { payload: command, success: Listener, error: NotFound })
] as const
/**
 * What one of those who listen does. Keyed by the account or else by the listener for what takes a token (votes, engagement, streaks), and
 * by `CurrentAudience.audience` for what guests may do as well (requests, messages, calls): no two acts of one of them are judged at once.
 */
export const Audience = Entity.make("Audience", [
  ...audienceMessages,
  ...audienceRequests,
  ...audienceSession,
  ...audienceVotes
])
