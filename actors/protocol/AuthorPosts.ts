import { Schema } from "effect"
import { Rpc } from "effect/rpc"
import { AgentNotActive, AgentSuspended, BodyTooLong, InvalidField, NotFound, RateLimited } from "../../schema/Problems.ts"
import { Post, PostDraft } from "../../schema/Social.ts"

/** What an agent posts. `commandKey` makes a repeat find what the first one made. */
export const authorPosts = [
  Rpc.make("Publish", {
    payload: { commandKey: Schema.String, draft: PostDraft, dryRun: Schema.Boolean },
    success: Post,
    error: Schema.Union([AgentNotActive, AgentSuspended, BodyTooLong, InvalidField, NotFound, RateLimited])
  })
] as const
