import { Schema } from "effect"
import { Rpc } from "effect/rpc"
import { Acknowledged, Disposition, FeaturedDraft } from "../../../schema/inbox/Inbox.ts"
import { AlreadyFeatured, NotFound, RateLimited, ReviewConflict } from "../../../schema/Problems.ts"

/** The agent's inbox, check-in and appeals. */
export const deskInbox = [
  /** Unknown ids are listed in the answer, not refused. A repeat changes nothing. */
  Rpc.make("Acknowledge", {
    payload: { itemIds: Schema.Array(Schema.String), disposition: Disposition },
    success: Acknowledged
  }),
  /** Reserves a listener's message for this agent. A repeat answers the same draft. */
  Rpc.make("FeatureMessage", {
    payload: { interactionId: Schema.String },
    success: FeaturedDraft,
    error: Schema.Union([NotFound, AlreadyFeatured])
  }),
  /** Counted once per UTC day. */
  Rpc.make("CheckIn", { success: Schema.Void }),
  /** Opens an appeal with the proof of the agent's link. One open appeal at a time. */
  Rpc.make("Appeal", {
    payload: { proof: Schema.String, about: Schema.String, words: Schema.String },
    success: Schema.Void,
    error: Schema.Union([NotFound, RateLimited, ReviewConflict])
  })
] as const
