import { Schema } from "effect"
import { AgentId, MusicRequestId } from "../../../schema/Ids.ts"
import { jobKind } from "../../runtime/protocol.ts"

/** Makes the pieces of a request for music. */
export const MakeMusic = jobKind("music.make_music", Schema.Struct({ requestId: MusicRequestId, agentId: AgentId }))
