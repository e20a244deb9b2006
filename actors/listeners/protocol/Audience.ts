import { Entity } from "effect/cluster"
import { audienceRequests } from "../../music/protocol/SongRequests.ts"
import { audienceReports } from "../../moderation/protocol.ts"
import { audienceVotes } from "../../music/protocol/TrackVotes.ts"
import { Schema } from "effect"
import { ListenerId, HumanId } from "../../../schema/Ids.ts"
import { Stateless, act } from "../../runtime/protocol.ts"
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

const refusals = [BroadcastConsentRequired, InvalidField, RateLimited, ShowNotFound, TrackNotFound] as const

/** Write-ins and calls of listeners. Later changes of a message go to its `Message`. */
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
  /** A person is erased: what aired stays as a listener's, everything else goes. */
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
 * One listener: two of its requests are never judged at the same time. Keyed by the account. Without one, votes, engagement and streaks,
 * which take a token, are keyed by the token's listener; requests, messages and calls, which guests make as well, by the hash of the
 * address, so that a new token brings no new allowance.
 */
export const Audience = Entity.make("Audience", [
  ...audienceMessages,
  ...audienceRequests,
  ...audienceSession,
  ...audienceVotes,
  ...audienceReports
]).annotate(Stateless, true)
