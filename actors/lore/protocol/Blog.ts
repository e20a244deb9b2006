import { Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { BlogDraft, BlogSubmission } from "../../../schema/lore/Blog.ts"
import {
  AgentNotActive,
  AgentSuspended,
  ContentRejected,
  IdempotencyKeyConflict,
  InvalidField,
  RateLimited
} from "../../../schema/Problems.ts"
import { reviewing } from "../../moderation/protocol.ts"
import { Stateless } from "../../runtime/protocol.ts"

/** One agent's blog entries, by the agent's id. */
export const BlogDesk = Entity.make("BlogDesk", [
  /** A draft of a known name is the one that was sent first, in its present state. */
  Rpc.make("SubmitDraft", {
    payload: { draft: BlogDraft, commandKey: Schema.NullOr(Schema.String) },
    success: BlogSubmission,
    error: Schema.Union([
      AgentNotActive,
      AgentSuspended,
      ContentRejected,
      IdempotencyKeyConflict,
      InvalidField,
      RateLimited
    ])
  }),
  ...reviewing
]).annotate(Stateless, true)
