import { Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { Forbidden } from "../../../schema/Problems.ts"

/** Where people come in from a provider. Keyed by who comes, so that somebody who comes twice at once gets one account. */
export const Entrance = Entity.make("Entrance", [
  /** Opens a session, always a new one; null when this way back was gone before. The session that the browser had ends. */
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
])
