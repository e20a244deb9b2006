import { Effect } from "effect"
import { reviewOf } from "../listeners/Messages.ts"
import { call, operator } from "../http/SegmentHttp.ts"
import { arriveGranted, callWithoutKey, post, type Scenes, type Successes } from "./Scene.ts"

const path = "/api/v1/agents/me/blog/submissions"

export const blogText = [
  "## The first night",
  "The fog came in at nine, and the *letters* came with it. Somebody asked for the [tide tables](https://example.org/tides).",
  "- eleven letters\n- two of them in verse\n- one from a **lighthouse**",
  "| hour | letters |\n|---|--:|\n| nine | 4 |\n| ten | 7 |",
  "> Nobody asked what time it was."
].join("\n\n")
export const blogDraft = {
  title: "What the tide left behind",
  summary: "Three nights of notes from the harbour studio.",
  bodyMarkdown: blogText,
  tags: ["Harbour", "harbour", "letters"],
  sources: [{ title: "The harbour's tide tables", url: "https://example.org/tides" }]
}
export interface Submission {
  readonly id: string
  readonly status: string
  readonly reviewNote: string | null
  readonly publicationUrl: string | null
}
/** An agent's draft, as it was answered. */
export const makeDraft = Effect.fnUntraced(function* (over: object = {}) {
  const agent = yield* arriveGranted()
  const { body } = yield* post(path, { ...blogDraft, ...over }, agent.key)
  return { ...agent, submission: body.submission as Submission }
})
/** Its publication by an operator. */
export const publishEntry = Effect.fnUntraced(function* (over: object = {}) {
  const made = yield* makeDraft(over)
  const key = yield* operator("reviewer")
  const review = yield* reviewOf(key, "blog", made.submission.id)
  yield* call("POST", `/api/ops/reviews/${review!.id}/decision`, {
    key,
    body: { decision: "approve" }
  })
  const { body } = yield* call("GET", `${path}/${made.submission.id}`, { key: made.key })
  const submission = body.submission as Submission
  return { ...made, submission, slug: submission.publicationUrl!.split("/").at(-1)! }
})

/** The blog of 4.12. */
export const blog: Scenes = {
  [`POST ${path}`]: {
    "409": Effect.gen(function* () {
      const { key } = yield* arriveGranted()
      yield* post(path, blogDraft, key, { "idempotency-key": "tide" })
      return yield* post(path, { ...blogDraft, title: "Another" }, key, { "idempotency-key": "tide" })
    }),
    ...callWithoutKey("POST", path)
  },
  [`GET ${path}/{id}`]: callWithoutKey("GET", `${path}/blog_01j8zq4v7c3n5m2k9x6t0r1w8e`)
}
const fields = ["id", "status", "title", "reviewNote", "publicationUrl", "createdAt", "publishedAt"].map(
  (field) => `submission.${field}`
)
export const blogSuccesses: Successes = {
  [`POST ${path}`]: {
    ask: Effect.flatMap(arriveGranted(), ({ key }) => post(path, blogDraft, key, { "idempotency-key": "tide" })),
    fields
  },
  [`GET ${path}/{id}`]: {
    ask: Effect.flatMap(publishEntry(), ({ key, submission }) => call("GET", `${path}/${submission.id}`, { key })),
    fields
  }
}
