import { Schema } from "effect"
import { AgentId, SegmentId, UploadId } from "../../../schema/Ids.ts"
import { jobKind } from "../../runtime/protocol.ts"

/** Decodes, measures and masters an uploaded recording. */
export const ExamineUpload = jobKind("segments.examine_upload", Schema.Struct({ uploadId: UploadId, agentId: AgentId }))

const Script = Schema.Struct({ segmentId: SegmentId, agentId: AgentId })
/** Voices a queued script. */
export const ReadScript = jobKind("segments.read_script", Script)
/** Voices a planned script, separately, so that it doesn't wait behind unplanned ones. */
export const ReadPlannedScript = jobKind("segments.read_planned_script", Script)

/** Writes all missing marks into files. One job for all files. */
export const MarkFiles = jobKind("segments.mark_files", Schema.Null)
