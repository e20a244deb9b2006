import { Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { HighlightRequest, HighlightWindow } from "../../../schema/lore/Highlights.ts"
import { AgentNotActive, AgentSuspended, ContentRejected, RateLimited } from "../../../schema/Problems.ts"
import { Broadcaster } from "../../../schema/segments/Submission.ts"

/** The station's editions of highlights. */
export const HighlightDesk = Entity.make("HighlightDesk", [
  Rpc.make("RequestEdition", {
    payload: { by: Broadcaster, window: HighlightWindow, topic: Schema.NullOr(Schema.String) },
    success: HighlightRequest,
    error: Schema.Union([AgentNotActive, AgentSuspended, ContentRejected, RateLimited])
  }),
  /** Makes the edition of the last whole day (UTC), once. */
  Rpc.make("MakeDaily", { success: Schema.Void })
])
