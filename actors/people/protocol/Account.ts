import { Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { Human } from "../../../schema/people/Human.ts"
import { NotFound, ContentRejected, HandleTaken, AgentNotFound, RateLimited } from "../../../schema/Problems.ts"
import { act } from "../../runtime/protocol.ts"
import { AccountPatch, KeyProvider, ProviderKeyView } from "../../../schema/people/Account.ts"
import { AgentId } from "../../../schema/Ids.ts"

/** What people do with their own account. */
export const accountOwn = [
  Rpc.make("Describe", {
    payload: { patch: AccountPatch },
    success: Human,
    error: Schema.Union([NotFound, ContentRejected, HandleTaken])
  }),
  /** A key replaces the one before for the same provider. */
  Rpc.make("StoreKey", {
    payload: { provider: KeyProvider, key: Schema.String },
    success: ProviderKeyView,
    error: NotFound
  }),
  Rpc.make("DropKey", { payload: { provider: KeyProvider }, error: NotFound }),
  /** Prolongs a session that is used. */
  Rpc.make("RenewSession", { payload: { sessionId: Schema.String, expiresAtMs: Schema.Finite, atMs: Schema.Finite } }),
  Rpc.make("EndSession", { payload: { sessionId: Schema.String }, error: NotFound }),
  /** All of them, and the tokens of the account's listeners with them. Answers how many there were. */
  Rpc.make("EndSessions", { success: Schema.Int }),
  /** Writes to the owner's address, and says no more about it than that it did. */
  Rpc.make("AskForAgent", {
    payload: { handle: Schema.String },
    success: Schema.Struct({ agentId: AgentId, handle: Schema.String, expiresAt: Schema.String }),
    error: Schema.Union([NotFound, AgentNotFound, RateLimited])
  }),
  /** Answers the agent's handle. */
  Rpc.make("ConfirmAgent", { payload: { proof: Schema.String }, success: Schema.String, error: NotFound }),
  Rpc.make("ReleaseAgent", { payload: { agentId: Schema.String }, error: NotFound }),
  /** Everything of the person goes, at once and for good. */
  Rpc.make("Leave", { error: NotFound })
] as const

/** One person's account. Keyed by the person. */
export const Account = Entity.make("Account", [
  ...accountOwn,
  /** What isn't named stays. A repeat changes nothing. */
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
  /** Answers who it was. */
  Rpc.make("Erase", { payload: act, success: Human, error: NotFound })
])
