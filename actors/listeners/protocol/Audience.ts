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

/** Result of preparing a call's sound: the asset, or why it can't air. */
export const CallOutcome = Schema.Union([
  Schema.TaggedStruct("Made", { asset: Asset }),
  Schema.TaggedStruct("Unfit", { reason: Schema.String })
])

export type CallOutcome = typeof CallOutcome.Type

/**
 * Listeners' messages. `WriteIn` and `CallIn` go to the sender's `Audience`; later messages go to the one keyed by the message's id,
 * because a guest's address is not kept that long.
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
  /** Stores a transcript written by a person. */
  Rpc.make("WriteDown", {
    payload: { interactionId: InteractionId, transcript: Schema.String, ...act },
    success: Schema.Void,
    error: NotFound
  }),
  /** Stores a machine's transcript; null when it failed. Never replaces a person's. */
  Rpc.make("SettleTranscript", {
    payload: { interactionId: InteractionId, transcript: Schema.NullOr(Schema.String) },
    success: Schema.Void
  }),
  Rpc.make("SettleCall", { payload: { interactionId: InteractionId, outcome: CallOutcome }, success: Schema.Void }),
  /** Deletes an expired message with its recording and reviews. */
  Rpc.make("DiscardMessage", { payload: { interactionId: InteractionId }, success: Schema.Void }),
  /** Erases a person's messages. Aired ones stay without the name. */
  Rpc.make("ForgetMessages", { payload: { humanId: HumanId }, success: Schema.Void })
] as const

/** A verified token of the caller. */
const shown = Schema.Struct({
  listenerId: ListenerId,
  text: Schema.String,
  issuedAtMs: Schema.Finite,
  expiresAtMs: Schema.Finite
})
const issued = Schema.Struct({ listenerId: ListenerId, token: Schema.String, expiresAtMs: Schema.Finite })
const command = { listenerId: ListenerId, ...act }
/** Issue, use and revocation of listener tokens. */
export const audienceSession = [
  /**
   * With a token: the same listener, and a new token if that one is due. Without: a new listener. `humanId` is the account of the caller's
   * session.
   */
  Rpc.make("OpenSession", {
    payload: { shown: Schema.NullOr(shown), humanId: Schema.NullOr(HumanId) },
    success: issued
  }),
  /** Records the use of a token. */
  Rpc.make("Seen", { payload: { listenerId: ListenerId, atMs: Schema.Finite } }),
  /** Moves the listener's history to the account and replaces the token. A repeat changes nothing. */
  Rpc.make("Claim", {
    payload: { listenerId: Schema.String, token: Schema.String, humanId: HumanId },
    success: issued,
    error: Schema.Union([ListenerTokenRequired, ListenerAlreadyClaimed, Forbidden])
  }),
  /** Blocks or unblocks a listener, voids its tokens. Null leaves the block unchanged. */
  Rpc.make("ModerateListener", {
    payload: { ...command, blocked: Schema.NullOr(Schema.Boolean), voidTokens: Schema.Boolean },
    success: Listener,
    error: NotFound
  }),
  /** Erases the listener and answers its last state. */
  Rpc.make("EraseListener", { payload: command, success: Listener, error: NotFound })
] as const
/**
 * One listener. Keyed by account or listener id for messages that need a token (votes, engagement, streaks), and by
 * `CurrentAudience.audience` for those open to guests (requests, messages, calls), so that one listener's messages are checked one at a
 * time.
 */
export const Audience = Entity.make("Audience", [
  ...audienceMessages,
  ...audienceRequests,
  ...audienceSession,
  ...audienceVotes
])
