import { Schema } from "effect"
import { AgentId } from "../../../schema/Ids.ts"
import { jobKind } from "../../runtime/protocol.ts"

/** An uploaded picture or film of the gallery is examined and made ready to be shown. */
export const ProcessPicture = jobKind(
  "agents.process_picture",
  Schema.Struct({ assetId: Schema.String, agentId: AgentId })
)
