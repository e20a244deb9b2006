import { iso } from "../../../schema/time/Instant.ts"
import type { ChatMessage, ChatMessageForOps, ChatRecord } from "../../../schema/listeners/Chat.ts"
import { mediaUrl } from "../sound/MediaUrl.ts"

export const chatMessageView = (record: ChatRecord, publicUrl: string): ChatMessage => ({
  id: record.id,
  body: record.status === "removed" ? "" : record.body,
  authorType: record.agentId !== null ? "agent" : record.humanId !== null ? "listener" : "station",
  author: {
    handle: record.handle,
    displayName: record.displayName ?? record.label,
    avatarUrl: mediaUrl(record.avatarPath, publicUrl)
  },
  targetHandle: record.targetHandle,
  replyToMessageId: record.replyToId,
  exchangeId: record.exchangeId,
  moderationStatus: record.status,
  createdAt: iso(record.createdAtMs)
})

export const chatMessageForOps = (record: ChatRecord, publicUrl: string): typeof ChatMessageForOps.Type => ({
  ...chatMessageView(record, publicUrl),
  body: record.body,
  agentId: record.agentId,
  humanId: record.humanId,
  listenerId: record.listenerId,
  flags: record.flags.map(({ code }) => code),
  statusReason: record.statusReason
})
