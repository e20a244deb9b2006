import { Schema } from "effect"
import { AgentId, SegmentId, UploadId } from "../../../schema/Ids.ts"
import { jobKind } from "../../runtime/protocol.ts"

/** A recording is decoded, measured and made ready for the air. */
export const ExamineUpload = jobKind("segments.examine_upload", Schema.Struct({ uploadId: UploadId, agentId: AgentId }))

const Script = Schema.Struct({ segmentId: SegmentId, agentId: AgentId })
/** A queued script is spoken with its agent's voice. */
export const ReadScript = jobKind("segments.read_script", Script)
/** The same for a script in a plan: it doesn't wait behind those that nobody planned. */
export const ReadPlannedScript = jobKind("segments.read_planned_script", Script)

/** All files whose sounds have got another mark are marked. There is one job for all of them. */
export const MarkFiles = jobKind("segments.mark_files", Schema.Null)
