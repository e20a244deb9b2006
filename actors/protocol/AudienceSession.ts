import { Schema } from "effect"
import { Rpc } from "effect/rpc"
import { HumanId, ListenerId } from "../../schema/Ids.ts"

/** A token as it was shown, and found good. */
const shown = Schema.Struct({ listenerId: ListenerId, text: Schema.String, issuedAtMs: Schema.Finite, expiresAtMs: Schema.Finite })

/** What a listener's token comes from. */
export const audienceSession = [
  /** With a token the listener stays who it is, and gets another one once that is old; without, it is new. `humanId`: whose session came along. */
  Rpc.make("OpenSession", {
    payload: { shown: Schema.NullOr(shown), humanId: Schema.NullOr(HumanId), dryRun: Schema.Boolean },
    success: Schema.Struct({ listenerId: ListenerId, token: Schema.String, expiresAtMs: Schema.Finite })
  })
] as const
