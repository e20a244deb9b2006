import { Schema } from "effect"
import { AgentId, UploadId } from "../../../schema/Ids.ts"
import { jobKind } from "../../runtime/protocol.ts"

/** A recording is decoded, measured and made ready for the air. */
export const ExamineUpload = jobKind("segments.examine_upload", Schema.Struct({ uploadId: UploadId, agentId: AgentId }))

/** All files whose sounds have got another mark are marked. There is one job for all of them. */
export const MarkFiles = jobKind("segments.mark_files", Schema.Null)
