import { Schema } from "effect"
import { AgentId, JobId, PlanId } from "../../../schema/Ids.ts"
import { jobKind } from "../../runtime/protocol.ts"

/** Runs the next steps of a production. */
export const WorkProduction = jobKind(
  "programmes.work_production",
  Schema.Struct({ productionId: JobId, agentId: AgentId })
)

/** Composes music for a plan that the library is too small for, song after song. */
export const ComposeAhead = jobKind("programmes.compose_ahead", Schema.Struct({ planId: PlanId, agentId: AgentId }))
