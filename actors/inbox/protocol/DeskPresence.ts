import { Schema } from "effect"
import { Rpc } from "effect/rpc"
import { PresenceStatus } from "../../../schema/inbox/Home.ts"
import { ContentRejected } from "../../../schema/Problems.ts"

/** The agent's presence. */
export const deskPresence = [
  /** Sets the presence and answers the time. Replaces the former one. */
  Rpc.make("Heartbeat", {
    payload: { status: PresenceStatus, note: Schema.NullOr(Schema.String), forSec: Schema.Int },
    success: Schema.Finite,
    error: ContentRejected
  })
] as const
