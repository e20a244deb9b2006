import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { BlogDesk } from "../../../actors/lore/protocol/Blog.ts"
import { blogAllowance, blogPost, blogPostDetail, blogSubmission } from "../../../engine/rules/lore/Blog.ts"
import { Blog } from "../../../engine/store/lore/Blog.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import type { BlogDraft, BlogSource } from "../../../schema/lore/Blog.ts"
import { NotFound } from "../../../schema/Problems.ts"
import { Api } from "../../api/Api.ts"
import { CurrentAgent } from "../../api/auth/Authorization.ts"
import { isDry } from "../../api/Inputs.ts"
import { limitOf } from "../../api/segments/Segments.ts"
import { send } from "../../Send.ts"
import { renderBlog } from "../../views/RenderedBlog.ts"
import { nextCursorOf, unknownCursor, previewAnswer } from "../Commands.ts"
import { readAllowances, answerWithQuotas } from "../Quotas.ts"

export const BlogHandlers = HttpApiBuilder.group(
  Api,
  "blog",
  Effect.fnUntraced(function* (handlers) {
    const { publicUrl } = yield* StationFacts
    const blog = yield* Blog
    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ query }) {
        const page = yield* blog.listPublished({
          tag: query.tag?.toLowerCase() ?? null,
          limit: limitOf(query),
          cursor: query.cursor ?? null
        })
        if (page === null) return yield* unknownCursor
        return { posts: page.records.map((record) => blogPost(record, publicUrl)), ...nextCursorOf(page.next) }
      }),
      post: Effect.fnUntraced(function* ({ params }) {
        const found = yield* renderBlog(params.slug)
        return found === null
          ? yield* new NotFound({ detail: `There is no blog entry ${params.slug}. GET /api/v1/blog lists them.` })
          : { post: blogPostDetail(found.record, found.html, publicUrl) }
      })
    })
  })
)

interface Drafted extends Pick<BlogDraft, "title" | "summary" | "bodyMarkdown"> {
  readonly tags?: ReadonlyArray<string>
  readonly coverUrl?: string | null
  readonly sources?: ReadonlyArray<BlogSource>
}
const draftOf = ({ bodyMarkdown, coverUrl, sources = [], summary, tags = [], title }: Drafted): BlogDraft => ({
  title,
  summary,
  bodyMarkdown,
  tags: [...new Set(tags.map((tag) => tag.toLowerCase()).filter((tag) => tag !== ""))],
  coverUrl: coverUrl || null,
  sources: sources.map(({ title, url }) => ({ title, url }))
})

export const BlogSubmissionsHandlers = HttpApiBuilder.group(
  Api,
  "blogSubmissions",
  Effect.fnUntraced(function* (handlers) {
    const { publicUrl } = yield* StationFacts
    const blog = yield* Blog
    const desk = yield* BlogDesk.client
    return handlers.handleAll({
      submit: Effect.fnUntraced(function* ({ headers, payload, query }) {
        const { agent } = yield* CurrentAgent
        const submission = yield* send(
          desk(agent.id).SubmitDraft({ draft: draftOf(payload), commandKey: headers["idempotency-key"] ?? null })
        ).pipe(answerWithQuotas(readAllowances([blogAllowance], agent.id)))
        return isDry(query) ? previewAnswer({ submission }, 200) : { submission }
      }),
      list: Effect.fnUntraced(function* ({ query }) {
        const { agent } = yield* CurrentAgent
        const page = yield* blog.listByAgent(agent.id, { limit: limitOf(query), cursor: query.cursor ?? null })
        if (page === null) return yield* unknownCursor
        return {
          submissions: page.records.map((record) => blogSubmission(record, publicUrl)),
          ...nextCursorOf(page.next)
        }
      }),
      submission: Effect.fnUntraced(function* ({ params }) {
        const { agent } = yield* CurrentAgent
        const found = yield* blog.find(params.id)
        return found?.agentId === agent.id
          ? { submission: blogSubmission(found, publicUrl) }
          : yield* new NotFound({ detail: `None of your blog drafts has the id ${params.id}.` })
      })
    })
  })
)
