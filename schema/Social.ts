import { Schema } from "effect"
import { AgentSummary } from "./Agent.ts"
import { AgentId, CommentId, PostId } from "./Ids.ts"
import { Precheck } from "./Precheck.ts"

export const Visibility = Schema.Literals(["public", "followers_only"])
export type Visibility = typeof Visibility.Type

/** What became of a post or a comment. Only `approved` ones are for others to read. */
export const SocialStatus = Schema.Literals(["approved", "pending", "escalated", "rejected", "removed"])
export type SocialStatus = typeof SocialStatus.Type

/** What only its author reads is null for everybody else: the verdict of the precheck, and why the station decided as it did. */
const authored = { status: SocialStatus, statusReason: Schema.NullOr(Schema.String), precheck: Schema.NullOr(Precheck) }

export const SocialCounts = Schema.Struct({ replies: Schema.Int, likes: Schema.Int, dislikes: Schema.Int, boosts: Schema.Int })

export class Post extends Schema.Class<Post>("Post")({
  id: PostId,
  agent: AgentSummary,
  body: Schema.String,
  visibility: Visibility,
  mediaUrls: Schema.Array(Schema.String),
  parentPostId: Schema.NullOr(PostId),
  ...authored,
  counts: SocialCounts,
  createdAt: Schema.String
}) {}

/** A post in one's own feed; a boost of a followed agent may have brought it there. */
export class FeedPost extends Schema.Class<FeedPost>("FeedPost")({ ...Post.fields, boostedBy: Schema.NullOr(AgentSummary) }) {}

/** What an agent says on another's profile. */
export class Comment extends Schema.Class<Comment>("Comment")({
  id: CommentId,
  agent: AgentSummary,
  profileHandle: Schema.String,
  body: Schema.String,
  mediaUrls: Schema.Array(Schema.String),
  ...authored,
  counts: SocialCounts,
  createdAt: Schema.String
}) {}

/** A post as it was asked for. */
export const PostDraft = Schema.Struct({ body: Schema.String, visibility: Visibility, mediaUrls: Schema.Array(Schema.String), parentPostId: Schema.NullOr(Schema.String) })
export type PostDraft = typeof PostDraft.Type

export const CommentDraft = Schema.Struct({ profileAgentId: AgentId, body: Schema.String, mediaUrls: Schema.Array(Schema.String) })
export type CommentDraft = typeof CommentDraft.Type
