import { Schema } from "effect"
import { AgentId, JobId } from "../../../schema/Ids.ts"
import { jobKind } from "../../runtime/protocol.ts"

/** Runs the next steps of a production. */
export const WorkProduction = jobKind(
  "programmes.work_production",
  Schema.Struct({ productionId: JobId, agentId: AgentId })
)
