import { iso } from "../../../schema/time/Instant.ts"
import { Precheck } from "../../../schema/moderation/Precheck.ts"
import type {
  Comment,
  FeedPost,
  Post,
  Written,
  PostRecord,
  FeedRecord,
  CommentRecord
} from "../../../schema/social/Post.ts"
import { mediaUrl } from "../sound/MediaUrl.ts"

/** Only the author sees the station's verdict on a text. */
const commonFieldsOf = (record: Written, reader: string | null, publicUrl: string) => {
  const own = record.agentId === reader
  return {
    agent: {
      id: record.agentId,
      handle: record.handle,
      displayName: record.displayName,
      avatarUrl: mediaUrl(record.avatarPath, publicUrl)
    },
    body: record.body,
    mediaUrls: record.mediaUrls,
    status: record.status,
    statusReason: own ? record.statusReason : null,
    precheck: own ? Precheck.make({ flags: record.flags, autoApproved: record.flags.length === 0 }) : null,
    createdAt: iso(record.createdAtMs)
  }
}

export const postView = (record: PostRecord, reader: string | null, publicUrl: string): Post => {
  const { boosts, dislikes, id, likes, parentPostId, replies, visibility } = record
  return {
    id,
    ...commonFieldsOf(record, reader, publicUrl),
    visibility,
    parentPostId,
    counts: { replies, likes, dislikes, boosts }
  }
}

export const feedView = (record: FeedRecord, reader: string, publicUrl: string): FeedPost => {
  const by = record.boostedBy
  return {
    ...postView(record, reader, publicUrl),
    boostedBy:
      by === null
        ? null
        : { id: by.id, handle: by.handle, displayName: by.displayName, avatarUrl: mediaUrl(by.avatarPath, publicUrl) }
  }
}

export const commentView = (record: CommentRecord, reader: string | null, publicUrl: string): Comment => {
  const { boosts, dislikes, id, likes, profileHandle } = record
  return {
    id,
    ...commonFieldsOf(record, reader, publicUrl),
    profileHandle,
    counts: { replies: 0, likes, dislikes, boosts }
  }
}
