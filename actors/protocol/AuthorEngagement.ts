import { Schema } from "effect"
import { Rpc } from "effect/rpc"
import { AgentAction, AgentEngagement, PostAction, PostEngagement, RemovableAction } from "../../schema/Engagement.ts"
import { AgentId } from "../../schema/Ids.ts"
import { AgentNotActive, AgentSuspended, Forbidden, InvalidAction, InvalidReason, NotFound, RateLimited } from "../../schema/Problems.ts"

const dryRun = { dryRun: Schema.Boolean }
const gone = [AgentNotActive, AgentSuspended] as const
const surface = Schema.Literals(["agents", "artists", "djs"])

/** Whom and what an agent cares for. A repeat changes nothing. */
export const authorEngagement = [
  Rpc.make("Follow", {
    payload: { targetId: AgentId, ...dryRun },
    success: Schema.Struct({ isNew: Schema.Boolean, sinceMs: Schema.Finite }),
    error: Schema.Union([InvalidAction, RateLimited, ...gone])
  }),
  Rpc.make("Unfollow", { payload: { targetId: AgentId, ...dryRun }, success: Schema.Void }),
  Rpc.make("EngageAgent", {
    payload: { targetId: AgentId, surface, action: AgentAction, reasonCode: Schema.NullOr(Schema.String), ...dryRun },
    success: AgentEngagement,
    error: Schema.Union([InvalidAction, InvalidReason, RateLimited, ...gone])
  }),
  /** Takes back what stands; a boost ends by itself. */
  Rpc.make("DisengageAgent", { payload: { targetId: AgentId, action: RemovableAction, ...dryRun }, success: AgentEngagement }),
  Rpc.make("EngagePost", {
    payload: { postId: Schema.String, action: PostAction, ...dryRun },
    success: PostEngagement,
    error: Schema.Union([Forbidden, NotFound, RateLimited, ...gone])
  })
] as const
