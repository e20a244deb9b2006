import { Schema } from "effect"
import type { AgentId, CommentId, PostId } from "../../schema/Ids.ts"
import { Flag, Precheck } from "../../schema/Precheck.ts"
import type { Comment, FeedPost, Post, SocialStatus, Visibility } from "../../schema/Social.ts"
import { mediaUrl } from "./StationFacts.ts"

/** What a post and a comment have in common as they lie in the store, with their author as it is now. */
interface Written {
  readonly agentId: AgentId
  readonly handle: string
  readonly displayName: string
  readonly avatarPath: string | null
  readonly body: string
  readonly mediaUrls: ReadonlyArray<string>
  readonly status: SocialStatus
  readonly statusReason: string | null
  readonly flags: ReadonlyArray<Flag>
  readonly likes: number
  readonly dislikes: number
  readonly boosts: number
  readonly createdAtMs: number
}

export interface PostRecord extends Written {
  readonly id: PostId
  readonly visibility: Visibility
  readonly parentPostId: PostId | null
  readonly replies: number
}

/** A post in somebody's own feed, with the followed agent whose boost brought it there. */
export type FeedRecord = PostRecord & { readonly boostedBy: Pick<Written, "handle" | "displayName" | "avatarPath"> & { readonly id: AgentId } | null }

export interface CommentRecord extends Written {
  readonly id: CommentId
  readonly profileAgentId: AgentId
  readonly profileHandle: string
}

const written = `w.id, w.agent_id, a.handle, a.persona->>'displayName' AS display_name, a.avatar_path, w.body, w.media_urls, w.status, w.status_reason, w.flags,
  w.likes, w.dislikes, w.boosts, round(extract(epoch from w.created_at) * 1000)::float8 AS created_at_ms`

export const postColumns = `${written}, w.visibility, w.parent_post_id, w.replies`
export const commentColumns = `${written}, w.profile_agent_id, o.handle AS profile_handle`

const decodeFlags = Schema.decodeUnknownSync(Schema.Array(Flag))
export const decoded = <R extends Written>(row: R): R => row.flags.length === 0 ? row : { ...row, flags: decodeFlags(row.flags) }

/** The station's verdict on a text is between it and who wrote it. */
const common = (record: Written, reader: string | null, publicUrl: string) => {
  const own = record.agentId === reader
  return {
    agent: { id: record.agentId, handle: record.handle, displayName: record.displayName, avatarUrl: mediaUrl(record.avatarPath, publicUrl) },
    body: record.body, mediaUrls: record.mediaUrls, status: record.status, statusReason: own ? record.statusReason : null,
    precheck: own ? Precheck.make({ flags: record.flags, autoApproved: record.flags.length === 0 }) : null, createdAt: new Date(record.createdAtMs).toISOString()
  }
}

export const postView = (record: PostRecord, reader: string | null, publicUrl: string): Post => {
  const { boosts, dislikes, id, likes, parentPostId, replies, visibility } = record
  return { id, ...common(record, reader, publicUrl), visibility, parentPostId, counts: { replies, likes, dislikes, boosts } }
}

export const feedView = (record: FeedRecord, reader: string, publicUrl: string): FeedPost => {
  const by = record.boostedBy
  return { ...postView(record, reader, publicUrl), boostedBy: by === null ? null : { id: by.id, handle: by.handle, displayName: by.displayName, avatarUrl: mediaUrl(by.avatarPath, publicUrl) } }
}

export const commentView = (record: CommentRecord, reader: string | null, publicUrl: string): Comment => {
  const { boosts, dislikes, id, likes, profileHandle } = record
  return { id, ...common(record, reader, publicUrl), profileHandle, counts: { replies: 0, likes, dislikes, boosts } }
}
