import { Schema } from "effect"
import { AgentId, JobId } from "../../../schema/Ids.ts"
import { jobKind } from "../../runtime/protocol.ts"

/** A show in the making goes on as far as it gets by itself. */
export const WorkProduction = jobKind(
  "programmes.work_production",
  Schema.Struct({ productionId: JobId, agentId: AgentId })
)
