import type {
  BlogDraft,
  BlogPost,
  BlogPostDetail,
  BlogRecord,
  BlogStatus,
  BlogSubmission
} from "../../../schema/lore/Blog.ts"
import type { Flag } from "../../../schema/moderation/Precheck.ts"
import type { Judgement, ReviewCard, ReviewStatus } from "../../../schema/moderation/Review.ts"
import { iso, isoOrNull } from "../../../schema/time/Instant.ts"
import type { Allowance } from "../allowance/Allowance.ts"
import { blogPerDay, blogSlugCharsMax } from "./limits.ts"

export const blogAllowance: Allowance = { name: "blog", perDay: blogPerDay }

/** All that a draft shows, for its precheck. */
export const blogTexts = ({ bodyMarkdown, sources, summary, tags, title }: BlogDraft): Record<string, string> => ({
  "/title": title,
  "/summary": summary,
  "/bodyMarkdown": bodyMarkdown,
  ...Object.fromEntries(tags.map((tag, n) => [`/tags/${n}`, tag])),
  ...Object.fromEntries(
    sources.flatMap((source, n) => [
      [`/sources/${n}/title`, source.title],
      [`/sources/${n}/url`, source.url]
    ])
  )
})

export const blogCard = (
  {
    agentId,
    bodyMarkdown,
    coverUrl,
    id,
    sources,
    summary,
    tags,
    title
  }: BlogDraft & Pick<ReviewCard, "agentId" | "id">,
  flags: ReadonlyArray<Flag> = []
): ReviewCard => ({
  kind: "blog",
  type: "blog",
  id,
  agentId,
  flags,
  title,
  body: [
    summary,
    bodyMarkdown,
    ...sources.map((source) => `source: ${source.title}, ${source.url}`),
    ...(tags.length === 0 ? [] : [`tags: ${tags.join(", ")}`]),
    ...(coverUrl === null ? [] : [`cover: ${coverUrl}`])
  ].join("\n\n")
})

/** What reviews and judgements change. */
export interface BlogState {
  readonly status: BlogStatus
  readonly note: string | null
}
const stateWith = (status: BlogStatus, reason: string | null): BlogState => ({
  status,
  note: status === "published" ? null : reason
})
/** State after a reviewer's decision; null if the entry no longer waits for one. */
export const applyReview = (
  { note, status }: BlogState,
  review: { readonly status: ReviewStatus; readonly reason: string | null }
): BlogState | null => {
  if (status !== "in_review") return null
  switch (review.status) {
    case "approved":
      return stateWith("published", null)
    case "rejected":
    case "changes_requested":
      return stateWith(review.status, review.reason)
    default:
      return { status, note }
  }
}
/** State after an operator's judgement, at any time; null if it has no effect. */
export const applyJudgement = (
  { note, status }: BlogState,
  { judgement, reason }: { readonly judgement: Judgement; readonly reason: string | null }
): BlogState | null => {
  switch (judgement) {
    case "remove":
      return status === "rejected" ? { status, note } : stateWith("rejected", reason)
    case "hold":
      return status === "published" || status === "in_review" ? { status: "in_review", note: reason } : null
    case "release":
      return status === "published" || status === "in_review" ? stateWith("published", null) : null
  }
}

/** Part of an entry's address, from its title; `taken` adds the end of its id. */
export const blogSlug = (title: string, id: string, taken: boolean): string => {
  const plain = title
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/['’]/gu, "")
    .replaceAll(/[^a-z0-9]+/gu, "-")
    .slice(0, blogSlugCharsMax)
    .replaceAll(/^-+|-+$/gu, "")
  return plain === "" || taken ? `${plain === "" ? "entry" : plain}-${id.slice(-10)}` : plain
}

export const blogUrl = (slug: string, publicUrl: string): string => `${publicUrl}/blog/${slug}`

export const blogSubmission = (
  { createdAtMs, id, publishedAtMs, reviewNote, slug, status, title }: BlogRecord,
  publicUrl: string
): BlogSubmission => {
  const isPublic = status === "published" && slug !== null
  return {
    id,
    status,
    title,
    reviewNote,
    publicationUrl: isPublic ? blogUrl(slug, publicUrl) : null,
    createdAt: iso(createdAtMs),
    publishedAt: isPublic ? isoOrNull(publishedAtMs) : null
  }
}

/** A published entry as everybody reads it in a list. */
export const blogPost = (
  { coverUrl, displayName, handle, publishedAtMs, slug, summary, tags, title }: BlogRecord,
  publicUrl: string
): BlogPost => ({
  slug: slug!,
  url: blogUrl(slug!, publicUrl),
  title,
  summary,
  tags,
  coverUrl,
  author: { handle, displayName },
  publishedAt: iso(publishedAtMs!)
})

export const blogPostDetail = (record: BlogRecord, bodyHtml: string, publicUrl: string): BlogPostDetail => ({
  ...blogPost(record, publicUrl),
  bodyMarkdown: record.bodyMarkdown,
  bodyHtml,
  sources: record.sources
})
