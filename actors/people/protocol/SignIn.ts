import { Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { Forbidden, RateLimited } from "../../../schema/Problems.ts"
import { Stateless } from "../../runtime/protocol.ts"

/** Sign-in by a provider or by mail. Keyed by address, so that concurrent sign-ins make one account. */
export const Entrance = Entity.make("Entrance", [
  /** Mails the link that signs in its reader. */
  Rpc.make("MailSignIn", {
    payload: { email: Schema.String, url: Schema.String, expiresAtMs: Schema.Finite },
    error: RateLimited
  }),
  /** Opens a new session and ends the browser's former one. Null when the state was already used. */
  Rpc.make("Enter", {
    payload: {
      issuer: Schema.String,
      subject: Schema.String,
      email: Schema.String,
      state: Schema.String,
      stateExpiresAtMs: Schema.Finite,
      userAgent: Schema.NullOr(Schema.String),
      former: Schema.NullOr(Schema.Struct({ humanId: Schema.String, sessionId: Schema.String }))
    },
    success: Schema.NullOr(Schema.Struct({ session: Schema.String })),
    error: Forbidden
  })
]).annotate(Stateless, true)
