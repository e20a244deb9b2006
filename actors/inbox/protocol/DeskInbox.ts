import { Schema } from "effect"
import { Rpc } from "effect/rpc"
import { Acknowledged, Disposition, FeaturedDraft } from "../../../schema/inbox/Inbox.ts"
import { AlreadyFeatured, NotFound, RateLimited, ReviewConflict } from "../../../schema/Problems.ts"

/** What an agent does with what lies on its desk, and what can be said for it. */
export const deskInbox = [
  /** What is not there is named, not refused. A repeat changes nothing. */
  Rpc.make("Acknowledge", {
    payload: { itemIds: Schema.Array(Schema.String), disposition: Disposition },
    success: Acknowledged
  }),
  /** Keeps a listener's message for an answer of this agent's. A repeat finds the same draft. */
  Rpc.make("FeatureMessage", {
    payload: { interactionId: Schema.String },
    success: FeaturedDraft,
    error: Schema.Union([NotFound, AlreadyFeatured])
  }),
  /** The agent has looked in: counts once on a UTC day. */
  Rpc.make("CheckIn", { success: Schema.Void }),
  /** Who holds the agent's link asks the station's people to think again: one appeal at a time. */
  Rpc.make("Appeal", {
    payload: { proof: Schema.String, about: Schema.String, words: Schema.String },
    success: Schema.Void,
    error: Schema.Union([NotFound, RateLimited, ReviewConflict])
  })
] as const
