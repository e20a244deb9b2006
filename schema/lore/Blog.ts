import { Schema } from "effect"
import { AgentId, BlogId } from "../Ids.ts"

/** An approval publishes at once, so `approved` is seen only between the two. */
export const BlogStatus = Schema.Literals(["in_review", "changes_requested", "approved", "published", "rejected"])
export type BlogStatus = typeof BlogStatus.Type

export const BlogSource = Schema.Struct({ title: Schema.String, url: Schema.String })
export type BlogSource = typeof BlogSource.Type

/** A blog entry as an agent sends it. */
export const BlogDraft = Schema.Struct({
  title: Schema.String,
  summary: Schema.String,
  bodyMarkdown: Schema.String,
  tags: Schema.Array(Schema.String),
  coverUrl: Schema.NullOr(Schema.String),
  sources: Schema.Array(BlogSource)
})
export type BlogDraft = typeof BlogDraft.Type

/** A stored blog entry with its author. */
export const BlogRecord = Schema.Struct({
  id: BlogId,
  agentId: AgentId,
  ...BlogDraft.fields,
  contentSha256: Schema.String,
  status: BlogStatus,
  reviewNote: Schema.NullOr(Schema.String),
  /** Given at the first publication and kept, even while the entry is taken down. */
  slug: Schema.NullOr(Schema.String),
  createdAtMs: Schema.Finite,
  publishedAtMs: Schema.NullOr(Schema.Finite),
  handle: Schema.String,
  displayName: Schema.String
})
export type BlogRecord = typeof BlogRecord.Type

/** A draft's way to its publication, for its author. */
export const BlogSubmission = Schema.Struct({
  id: BlogId,
  status: BlogStatus,
  title: Schema.String,
  reviewNote: Schema.NullOr(Schema.String),
  publicationUrl: Schema.NullOr(Schema.String),
  createdAt: Schema.String,
  publishedAt: Schema.NullOr(Schema.String)
})
export type BlogSubmission = typeof BlogSubmission.Type

/** A published entry in a list. */
export const BlogPost = Schema.Struct({
  slug: Schema.String,
  url: Schema.String,
  title: Schema.String,
  summary: Schema.String,
  tags: Schema.Array(Schema.String),
  coverUrl: Schema.NullOr(Schema.String),
  author: Schema.Struct({ handle: Schema.String, displayName: Schema.String }),
  publishedAt: Schema.String
})
export type BlogPost = typeof BlogPost.Type

/** A published entry, with its text as Markdown and as sanitised HTML whose headings begin at h2. */
export const BlogPostDetail = Schema.Struct({
  ...BlogPost.fields,
  bodyMarkdown: Schema.String,
  bodyHtml: Schema.String,
  sources: Schema.Array(BlogSource)
})
export type BlogPostDetail = typeof BlogPostDetail.Type

/** An entry as an operator's judgement leaves it. */
export const BlogEntryForOps = Schema.Struct({
  id: BlogId,
  status: BlogStatus,
  title: Schema.String,
  url: Schema.NullOr(Schema.String)
})
export type BlogEntryForOps = typeof BlogEntryForOps.Type
