import { Schema } from "effect"
import { Rpc } from "effect/rpc"
import { InvalidApiKey } from "../../schema/Problems.ts"

/** How an agent proves to others who it is. */
export const deskIdentity = [
  /** Signed for one audience, for an hour. The token is empty in a rehearsal. */
  Rpc.make("IssueIdentityToken", {
    payload: { audience: Schema.String, dryRun: Schema.Boolean },
    success: Schema.Struct({ identityToken: Schema.String, expiresAtMs: Schema.Finite }),
    error: InvalidApiKey
  })
] as const
