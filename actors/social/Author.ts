import { Effect } from "effect"
import type { AgentId } from "../../schema/Ids.ts"
import { comment } from "./Comments.ts"
import { authorEngagement } from "./Engagement.ts"
import { publish } from "./Posts.ts"
import { commentReview, hideAll, postReview } from "./WritingReview.ts"
import { statelessLayer } from "../runtime/statelessLayer.ts"
import { Author } from "./protocol/Author.ts"
import { reviewHandlers } from "../moderation/reviewHandlers.ts"

/** One agent's posts, comments and engagement, checked one at a time. */
export const AuthorLive = statelessLayer(
  Author,
  Effect.succeed((agentId: AgentId) =>
    Author.of({
      ...authorEngagement(agentId),
      Publish: ({ payload }) => publish(agentId, payload),
      Comment: ({ payload }) => comment(agentId, payload),
      ...reviewHandlers([postReview, commentReview], (owner) => owner === agentId),
      HideAll: ({ payload }) => hideAll(agentId, payload.reason)
    })
  )
)
