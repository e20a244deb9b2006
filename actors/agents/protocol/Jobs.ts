import { Schema } from "effect"
import { AgentId } from "../../../schema/Ids.ts"
import { jobKind } from "../../runtime/protocol.ts"

/** Examines and converts an uploaded picture or film. */
export const ProcessPicture = jobKind(
  "agents.process_picture",
  Schema.Struct({ assetId: Schema.String, agentId: AgentId })
)
