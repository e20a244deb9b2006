import { Schema } from "effect"
import { Rpc } from "effect/rpc"
import { KeyId } from "../../schema/Ids.ts"
import { AgentNotActive, InvalidApiKey, NotFound } from "../../schema/Problems.ts"

const replaced = { success: Schema.Struct({ apiKey: Schema.String, handle: Schema.String }), error: Schema.Union([NotFound, AgentNotActive]) }

/** How an agent's key is changed, by itself or by its owner. All former keys end at once. */
export const deskKeys = [
  Rpc.make("RotateKey", {
    payload: { dryRun: Schema.Boolean },
    success: Schema.Struct({ apiKey: Schema.String, keyId: KeyId, revokedKeyIds: Schema.Array(KeyId) }),
    error: InvalidApiKey
  }),
  /** For the owner who is signed in. */
  Rpc.make("ReplaceKey", { payload: { humanId: Schema.String }, ...replaced }),
  /** Mails a link to the owner's verified address, if that is the address given. Answers nothing, whether it is or not. */
  Rpc.make("MailKeyLink", { payload: { email: Schema.String } }),
  /** For the owner who has the newest link. It works once. */
  Rpc.make("ReplaceKeyByLink", { payload: { proof: Schema.String }, ...replaced })
] as const
