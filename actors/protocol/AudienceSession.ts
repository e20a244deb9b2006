import { Schema } from "effect"
import { Rpc } from "effect/rpc"
import { HumanId, ListenerId } from "../../schema/Ids.ts"
import { Listener } from "../../schema/Listener.ts"
import { Forbidden, ListenerAlreadyClaimed, ListenerTokenRequired, NotFound } from "../../schema/Problems.ts"
import { act } from "./Act.ts"

/** A token as it was shown, and found good. */
const shown = Schema.Struct({ listenerId: ListenerId, text: Schema.String, issuedAtMs: Schema.Finite, expiresAtMs: Schema.Finite })
const issued = Schema.Struct({ listenerId: ListenerId, token: Schema.String, expiresAtMs: Schema.Finite })
const command = { listenerId: ListenerId, dryRun: Schema.Boolean, ...act }

/** What a listener's token comes from, and what ends it. */
export const audienceSession = [
  /** With a token the listener stays who it is, and gets another one once that is old; without, it is new. `humanId`: whose session came along. */
  Rpc.make("OpenSession", { payload: { shown: Schema.NullOr(shown), humanId: Schema.NullOr(HumanId), dryRun: Schema.Boolean }, success: issued }),
  /** What the listener did becomes the account's, and the token another. A repeat changes nothing. */
  Rpc.make("Claim", {
    payload: { listenerId: Schema.String, token: Schema.String, humanId: HumanId, dryRun: Schema.Boolean },
    success: issued,
    error: Schema.Union([ListenerTokenRequired, ListenerAlreadyClaimed, Forbidden])
  }),
  /** What isn't named stays. */
  Rpc.make("ModerateListener", { payload: { ...command, blocked: Schema.NullOr(Schema.Boolean), voidTokens: Schema.Boolean }, success: Listener, error: NotFound }),
  /** Answers who it was. */
  Rpc.make("EraseListener", { payload: command, success: Listener, error: NotFound })
] as const
