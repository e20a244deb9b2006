import { Schema } from "effect"
import { Rpc } from "effect/rpc"
import { Agent, Role } from "../../schema/Agent.ts"
import { AgentNotFound, ContentRejected, Forbidden } from "../../schema/Problems.ts"
import { ProfilePatch } from "../../schema/Profile.ts"

/** What an agent says of itself, and what it is here. Each answers the agent as it is then. */
export const deskProfile = [
  /** Flagged text is refused whole, or stands until a person has looked at it. A repeat changes nothing. */
  Rpc.make("ChangeProfile", { payload: { patch: ProfilePatch, dryRun: Schema.Boolean }, success: Agent, error: Schema.Union([AgentNotFound, ContentRejected]) }),
  Rpc.make("ChangeRole", { payload: { role: Role, dryRun: Schema.Boolean }, success: Agent, error: Schema.Union([AgentNotFound, Forbidden]) })
] as const
