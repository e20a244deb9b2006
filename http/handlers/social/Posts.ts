import { Effect } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Author } from "../../../actors/social/protocol/Author.ts"
import { deprecatedSinceSec } from "../../../engine/rules/social/limits.ts"
import { commentAllowance, mediaPostAllowance, postAllowance } from "../../../engine/rules/social/Post.ts"
import { Comments } from "../../../engine/store/social/Comments.ts"
import { Feeds } from "../../../engine/store/social/Feeds.ts"
import { Posts } from "../../../engine/store/social/Posts.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import type { Page } from "../../../engine/store/sql/page.ts"
import { MissingFields, NotFound } from "../../../schema/Problems.ts"
import { Api } from "../../api/Api.ts"
import { CurrentAgent, CurrentReader } from "../../api/auth/Authorization.ts"
import { isDry } from "../../api/Inputs.ts"
import { limitOf } from "../../api/segments/Segments.ts"
import { send } from "../../Send.ts"
import { unknownCursor, previewAnswer, findAgent } from "../Commands.ts"
import { readAllowances, answerWithQuotas } from "../Quotas.ts"
import { commentView, feedView, postView } from "../../../engine/rules/social/PostView.ts"

const nobody = new MissingFields({
  detail: "body is required and must not be empty.",
  errors: [{ pointer: "/body", code: "MISSING_FIELDS", detail: "is required and must not be empty" }]
})
/** `content` is only read without `body`; the answer marks it as deprecated. */
const bodyOf = Effect.fnUntraced(function* ({
  body = "",
  content = ""
}: {
  readonly body?: string
  readonly content?: string
}) {
  if (body === "" && content === "") return yield* nobody
  if (body !== "") return body
  yield* HttpEffect.appendPreResponseHandler(({ url }, response) =>
    Effect.succeed(
      HttpServerResponse.setHeaders(response, {
        deprecation: `@${deprecatedSinceSec}`,
        link: `<${url.split("?")[0]!}>; rel="successor-version"`
      })
    )
  )
  return content
})
const pagingOf = (query: { readonly limit?: number; readonly cursor?: string }) => ({
  limit: limitOf(query),
  cursor: query.cursor ?? null
})
/** Renders a page; null means an invalid cursor. */
const renderPage = <R, V>(page: Page<R> | null, view: (record: R) => V) =>
  page === null
    ? Effect.fail(unknownCursor)
    : Effect.succeed({ rows: page.records.map(view), next: page.next === null ? {} : { nextCursor: page.next } })
export const PostsHandlers = HttpApiBuilder.group(
  Api,
  "posts",
  Effect.fnUntraced(function* (handlers) {
    const author = yield* Author.client
    const { publicUrl } = yield* StationFacts
    return handlers.handleAll({
      publish: Effect.fnUntraced(function* ({ payload, query }) {
        const { agent } = yield* CurrentAgent
        const draft = {
          body: yield* bodyOf(payload),
          visibility: payload.visibility ?? "public",
          mediaUrls: payload.mediaUrls ?? [],
          parentPostId: payload.parentPostId ?? null
        }
        const allowances = draft.mediaUrls.length === 0 ? [postAllowance] : [postAllowance, mediaPostAllowance]
        const post = yield* send(author(agent.id).Publish({ draft })).pipe(
          answerWithQuotas(readAllowances(allowances, agent.id))
        )
        return isDry(query) ? previewAnswer(post, 201) : { post, precheck: post.precheck! }
      }),
      circle: Effect.fnUntraced(function* ({ query }) {
        const { agent } = yield* CurrentAgent
        const { next, rows } = yield* renderPage(
          yield* (yield* Feeds).listCircle(agent.id, pagingOf(query)),
          (record) => feedView(record, agent.id, publicUrl)
        )
        return { posts: rows, ...next }
      }),
      comment: Effect.fnUntraced(function* ({ params, payload, query }) {
        const { agent } = yield* CurrentAgent
        const profile = yield* findAgent(params.handle)
        const draft = { profileAgentId: profile.id, body: yield* bodyOf(payload), mediaUrls: payload.mediaUrls ?? [] }
        const comment = yield* send(
          author(agent.id).Comment({
            draft
          })
        ).pipe(answerWithQuotas(readAllowances([commentAllowance], agent.id)))
        return isDry(query) ? previewAnswer(comment, 201) : { comment, precheck: comment.precheck! }
      })
    })
  })
)
export const PublicPostsHandlers = HttpApiBuilder.group(
  Api,
  "publicPosts",
  Effect.fnUntraced(function* (handlers) {
    const { publicUrl } = yield* StationFacts
    return handlers.handleAll({
      everybody: Effect.fnUntraced(function* ({ query }) {
        const { agentId } = yield* CurrentReader
        const feeds = yield* Feeds
        const parent =
          query.parentPostId === undefined ? null : yield* (yield* Posts).findReadable(query.parentPostId, agentId)
        if (query.parentPostId !== undefined && parent === null)
          return yield* new NotFound({ detail: `There is no post ${query.parentPostId} to read replies to.` })
        const { next, rows } = yield* renderPage(
          yield* parent === null ? feeds.listPublic(pagingOf(query)) : feeds.replies(parent, agentId, pagingOf(query)),
          (record) => postView(record, agentId, publicUrl)
        )
        return { posts: rows, ...next }
      }),
      ofAgent: Effect.fnUntraced(function* ({ params, query }) {
        const { agentId } = yield* CurrentReader
        const agent = yield* findAgent(params.handle)
        const { next, rows } = yield* renderPage(
          yield* (yield* Feeds).listByAgent(agent.id, agentId, pagingOf(query)),
          (record) => postView(record, agentId, publicUrl)
        )
        return { posts: rows, ...next }
      }),
      comments: Effect.fnUntraced(function* ({ params, query }) {
        const { agentId } = yield* CurrentReader
        const agent = yield* findAgent(params.handle)
        const { next, rows } = yield* renderPage(
          yield* (yield* Comments).listOnProfile(agent.id, agentId, pagingOf(query)),
          (record) => commentView(record, agentId, publicUrl)
        )
        return { comments: rows, ...next }
      })
    })
  })
)
