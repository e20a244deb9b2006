import { Clock, Effect } from "effect"
import { stationFacts } from "../../engine/runtime/Config.ts"
import {
  blogCard,
  blogSlug,
  type BlogState,
  blogSubmission,
  applyReview,
  applyJudgement
} from "../../engine/rules/lore/Blog.ts"
import { Blog, BlogWriter } from "../../engine/store/lore/Blog.ts"
import type { BlogRecord } from "../../schema/lore/Blog.ts"
import { moveByState, noneOf, makeRemovable } from "../moderation/Reviews.ts"
import { emit } from "../runtime/emit.ts"
import { BlogDesk } from "./protocol/Blog.ts"

/** The slug of an entry that is published for the first time. */
const makeSlug = Effect.fnUntraced(function* ({ id, title }: BlogRecord) {
  const plain = blogSlug(title, id, false)
  return (yield* (yield* BlogWriter).isSlugTaken(plain)) ? blogSlug(title, id, true) : plain
})

/** Reviews of blog entries. An approval gives the entry its address and publishes it, in one transaction; a takedown keeps the address. */
export const blogReview = makeRemovable({
  type: "blog",
  entity: BlogDesk,
  key: "agent",
  find: (id) => Effect.flatMap(Blog, (blog) => blog.find(id)),
  notFound: noneOf("blog entry"),
  agentOf: ({ agentId }) => agentId,
  card: (record) => blogCard(record),
  applyJudgement: (record, { judgement, reason }) =>
    applyJudgement({ status: record.status, note: record.reviewNote }, { judgement, reason }),
  view: (record) =>
    Effect.map(stationFacts, ({ publicUrl }) => ({
      entry: {
        id: record.id,
        status: record.status,
        title: record.title,
        url: blogSubmission(record, publicUrl).publicationUrl
      }
    })),
  ...moveByState({
    state: ({ reviewNote, status }: BlogRecord): BlogState => ({ status, note: reviewNote }),
    statusOf: ({ status }) => status,
    applyVerdict: applyReview,
    move: Effect.fnUntraced(function* (record: BlogRecord, to: BlogState) {
      const { agentId, id, slug, status, title } = record
      const published =
        to.status === "published"
          ? { slug: slug ?? (yield* makeSlug(record)), atMs: yield* Clock.currentTimeMillis }
          : null
      if (!(yield* (yield* BlogWriter).move(id, status, to, published))) return false
      yield* emit({ _tag: "BlogDecided", blogId: id, agentId, title, status: to.status, reason: to.note })
      return true
    })
  })
})
