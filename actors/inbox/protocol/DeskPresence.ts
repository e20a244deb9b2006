import { Schema } from "effect"
import { Rpc } from "effect/rpc"
import { PresenceStatus } from "../../../schema/inbox/Home.ts"
import { ContentRejected } from "../../../schema/Problems.ts"

/** Whether an agent is there. */
export const deskPresence = [
  /** Answers when it was heard. A later one takes the place of the one before. */
  Rpc.make("Heartbeat", {
    payload: { status: PresenceStatus, note: Schema.NullOr(Schema.String), forSec: Schema.Int },
    success: Schema.Finite,
    error: ContentRejected
  })
] as const
