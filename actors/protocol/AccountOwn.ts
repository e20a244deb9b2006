import { Schema } from "effect"
import { Rpc } from "effect/rpc"
import { AccountPatch, KeyProvider, ProviderKeyView } from "../../schema/Account.ts"
import { Human } from "../../schema/Human.ts"
import { AgentId } from "../../schema/Ids.ts"
import { AgentNotFound, ContentRejected, HandleTaken, NotFound, RateLimited } from "../../schema/Problems.ts"

const dryRun = { dryRun: Schema.Boolean }

/** What people do with their own account. */
export const accountOwn = [
  Rpc.make("Describe", { payload: { patch: AccountPatch, ...dryRun }, success: Human, error: Schema.Union([NotFound, ContentRejected, HandleTaken]) }),
  /** A key replaces the one before for the same provider. */
  Rpc.make("StoreKey", { payload: { provider: KeyProvider, key: Schema.String, ...dryRun }, success: ProviderKeyView, error: NotFound }),
  Rpc.make("DropKey", { payload: { provider: KeyProvider, ...dryRun }, error: NotFound }),
  Rpc.make("EndSession", { payload: { sessionId: Schema.String, ...dryRun }, error: NotFound }),
  /** All of them, and the tokens of the account's listeners with them. Answers how many there were. */
  Rpc.make("EndSessions", { payload: dryRun, success: Schema.Int }),
  /** Writes to the owner's address, and says no more about it than that it did. */
  Rpc.make("AskForAgent", { payload: { handle: Schema.String, ...dryRun }, success: Schema.Struct({ agentId: AgentId, handle: Schema.String, expiresAt: Schema.String }), error: Schema.Union([NotFound, AgentNotFound, RateLimited]) }),
  /** Answers the agent's handle. */
  Rpc.make("ConfirmAgent", { payload: { proof: Schema.String }, success: Schema.String, error: NotFound }),
  Rpc.make("ReleaseAgent", { payload: { agentId: Schema.String, ...dryRun }, error: NotFound }),
  /** Everything of the person goes, at once and for good. */
  Rpc.make("Leave", { payload: dryRun, error: NotFound })
] as const
