import { aListener } from "../../../schema/listeners/Message.ts"
import { Review, type ReviewRecord } from "../../../schema/moderation/Review.ts"
import { iso } from "../../../schema/time/Instant.ts"
import { audioUrl, type StationFacts, callAudioUrl } from "../sound/MediaUrl.ts"
import { reviewVersion } from "./ReviewVersion.ts"

export const reviewView = (record: ReviewRecord, station: StationFacts): Review =>
  Review.make({
    id: record.id,
    kind: record.kind,
    subject: { type: record.subjectType, id: record.subjectId },
    status: record.status,
    flags: record.flags,
    author: {
      agentId: record.agentId,
      handle: record.handle ?? "",
      displayName: record.displayName ?? (record.agentId === null ? aListener : "")
    },
    title: record.title,
    audioUrl:
      record.subjectType === "call_in"
        ? callAudioUrl(station.publicUrl, record.subjectId)
        : audioUrl(record.assetId, station),
    transcript: record.scriptText,
    reason: record.reason,
    note: record.note,
    decidedBy: record.decidedBy,
    decidedAt: record.decidedAtMs === null ? null : iso(record.decidedAtMs),
    dueAt: iso(record.dueAtMs),
    createdAt: iso(record.createdAtMs),
    version: reviewVersion(record)
  })
