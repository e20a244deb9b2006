import { Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { Human } from "../../../schema/people/Human.ts"
import { NotFound, ContentRejected, HandleTaken, AgentNotFound, RateLimited } from "../../../schema/Problems.ts"
import { Stateless, act } from "../../runtime/protocol.ts"
import { AccountPatch, KeyProvider, ProviderKeyView } from "../../../schema/people/Account.ts"
import { AgentId } from "../../../schema/Ids.ts"

/** A person's own account. */
export const accountOwn = [
  Rpc.make("Describe", {
    payload: { patch: AccountPatch },
    success: Human,
    error: Schema.Union([NotFound, ContentRejected, HandleTaken])
  }),
  /** Replaces the former key of the same provider. */
  Rpc.make("StoreKey", {
    payload: { provider: KeyProvider, key: Schema.String },
    success: ProviderKeyView,
    error: NotFound
  }),
  Rpc.make("DropKey", { payload: { provider: KeyProvider }, error: NotFound }),
  /** Extends a session on use. */
  Rpc.make("RenewSession", { payload: { sessionId: Schema.String, expiresAtMs: Schema.Finite, atMs: Schema.Finite } }),
  Rpc.make("EndSession", { payload: { sessionId: Schema.String }, error: NotFound }),
  /** Ends all sessions and voids the tokens of the account's listeners. Answers the number of sessions. */
  Rpc.make("EndSessions", { success: Schema.Int }),
  /** Mails a link to the agent's owner. The answer reveals nothing about the address. */
  Rpc.make("AskForAgent", {
    payload: { handle: Schema.String },
    success: Schema.Struct({ agentId: AgentId, handle: Schema.String, expiresAt: Schema.String }),
    error: Schema.Union([NotFound, AgentNotFound, RateLimited])
  }),
  /** Answers the agent's handle. */
  Rpc.make("ConfirmAgent", { payload: { proof: Schema.String }, success: Schema.String, error: NotFound }),
  Rpc.make("ReleaseAgent", { payload: { agentId: Schema.String }, error: NotFound }),
  /** Erases the person at once and for good. */
  Rpc.make("Leave", { error: NotFound })
] as const

/** One person's account, keyed by person. */
export const Account = Entity.make("Account", [
  ...accountOwn,
  /** Null leaves a field unchanged. A repeat changes nothing. */
  Rpc.make("Moderate", {
    payload: {
      published: Schema.NullOr(Schema.Boolean),
      blocked: Schema.NullOr(Schema.Boolean),
      unlink: Schema.Boolean,
      ...act
    },
    success: Human,
    error: NotFound
  }),
  /** Erases the person and answers the last state. */
  Rpc.make("Erase", { payload: act, success: Human, error: NotFound })
]).annotate(Stateless, true)
