import { Effect } from "effect"
import { Entity } from "effect/cluster"
import type { AgentId } from "../../schema/Ids.ts"
import { comment } from "./Comments.ts"
import { authorEngagement } from "./Engagement.ts"
import { publish } from "./Posts.ts"
import { commentReview, hideAll, postReview } from "./WritingReview.ts"
import { behaviours } from "../runtime/Command.ts"
import { actorLayer } from "../runtime/actorLayer.ts"
import { transient } from "../runtime/EntityKinds.ts"
import { Author } from "./protocol/Author.ts"
import { reviewHandlers } from "../moderation/reviewHandlers.ts"

/** One agent's posts, comments and engagement, checked one at a time. */
export const AuthorLive = actorLayer(
  Author,
  Effect.gen(function* () {
    const agentId = (yield* Entity.CurrentAddress).entityId as unknown as AgentId
    return Author.of(
      yield* behaviours(Author, {
        ...authorEngagement(agentId),
        Publish: ({ payload }) => publish(agentId, payload),
        Comment: ({ payload }) => comment(agentId, payload),
        ...reviewHandlers([postReview, commentReview], (owner) => owner === agentId),
        HideAll: ({ payload }) => hideAll(agentId, payload.reason)
      })
    )
  }),
  transient
)
