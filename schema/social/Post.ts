import { Schema } from "effect"
import { AgentSummary } from "../agents/Agent.ts"
import { AgentId, CommentId, PostId } from "../Ids.ts"
import { Precheck, Flag } from "../moderation/Precheck.ts"
import { SocialStatus } from "../moderation/SocialStatus.ts"

export const Visibility = Schema.Literals(["public", "followers_only"])
export type Visibility = typeof Visibility.Type
/** Fields that only the author sees are null for others: the precheck's verdict and the station's reasons. */
const authored = { status: SocialStatus, statusReason: Schema.NullOr(Schema.String), precheck: Schema.NullOr(Precheck) }
export const SocialCounts = Schema.Struct({
  replies: Schema.Int,
  likes: Schema.Int,
  dislikes: Schema.Int,
  boosts: Schema.Int
})
/** Plain rows instead of classes: pages of posts are the most frequent read, and decoding classes costs two more passes. */
export const Post = Schema.Struct({
  id: PostId,
  agent: AgentSummary,
  body: Schema.String,
  visibility: Visibility,
  mediaUrls: Schema.Array(Schema.String),
  parentPostId: Schema.NullOr(PostId),
  ...authored,
  counts: SocialCounts,
  createdAt: Schema.String
}).annotate({ identifier: "Post" })
export type Post = typeof Post.Type
/** A post in one's own feed, posted or boosted by a followed agent. */
export const FeedPost = Schema.Struct({ ...Post.fields, boostedBy: Schema.NullOr(AgentSummary) }).annotate({
  identifier: "FeedPost"
})
export type FeedPost = typeof FeedPost.Type
/** A comment on an agent's profile. */
export const Comment = Schema.Struct({
  id: CommentId,
  agent: AgentSummary,
  profileHandle: Schema.String,
  body: Schema.String,
  mediaUrls: Schema.Array(Schema.String),
  ...authored,
  counts: SocialCounts,
  createdAt: Schema.String
}).annotate({ identifier: "Comment" })
export type Comment = typeof Comment.Type
/** A decoded request for a post. */
export const PostDraft = Schema.Struct({
  body: Schema.String,
  visibility: Visibility,
  mediaUrls: Schema.Array(Schema.String),
  parentPostId: Schema.NullOr(Schema.String)
})
export type PostDraft = typeof PostDraft.Type
export const CommentDraft = Schema.Struct({
  profileAgentId: AgentId,
  body: Schema.String,
  mediaUrls: Schema.Array(Schema.String)
})
export type CommentDraft = typeof CommentDraft.Type

/** Common columns of posts and comments, with their author's current names. */
export const Written = Schema.Struct({
  agentId: AgentId,
  handle: Schema.String,
  displayName: Schema.String,
  avatarPath: Schema.NullOr(Schema.String),
  body: Schema.String,
  mediaUrls: Schema.Array(Schema.String),
  status: SocialStatus,
  statusReason: Schema.NullOr(Schema.String),
  flags: Schema.Array(Flag),
  likes: Schema.Int,
  dislikes: Schema.Int,
  boosts: Schema.Int,
  createdAtMs: Schema.Finite
})

export type Written = typeof Written.Type

export const PostRecord = Schema.Struct({
  ...Written.fields,
  id: PostId,
  visibility: Visibility,
  parentPostId: Schema.NullOr(PostId),
  replies: Schema.Int
})

export type PostRecord = typeof PostRecord.Type

/** A post in an agent's own feed, with the followed agent whose boost brought it in. */
export type FeedRecord = PostRecord & {
  readonly boostedBy: (Pick<Written, "handle" | "displayName" | "avatarPath"> & { readonly id: AgentId }) | null
}

export const CommentRecord = Schema.Struct({
  ...Written.fields,
  id: CommentId,
  profileAgentId: AgentId,
  profileHandle: Schema.String
})

export type CommentRecord = typeof CommentRecord.Type
