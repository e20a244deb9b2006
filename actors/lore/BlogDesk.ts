import { Clock, Effect } from "effect"
import { stationFacts } from "../../engine/runtime/Config.ts"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { sha256 } from "../../engine/runtime/Secrets.ts"
import { blogAllowance, blogCard, blogSubmission, blogTexts } from "../../engine/rules/lore/Blog.ts"
import { blogFaults } from "../../engine/rules/lore/BlogText.ts"
import { isOwnMedia } from "../../engine/rules/social/Post.ts"
import { BlogWriter } from "../../engine/store/lore/Blog.ts"
import type { AgentId, BlogId } from "../../schema/Ids.ts"
import type { BlogDraft } from "../../schema/lore/Blog.ts"
import { IdempotencyKeyConflict, InvalidField } from "../../schema/Problems.ts"
import { activeAgent } from "../agents/activeAgent.ts"
import { reviewHandlers } from "../moderation/reviewHandlers.ts"
import { askForReview } from "../moderation/Reviews.ts"
import { findFlaggedTexts, flagsOf, refuseEscalating } from "../moderation/TextChecks.ts"
import { command } from "../runtime/Command.ts"
import { statelessLayer } from "../runtime/statelessLayer.ts"
import { blogReview } from "./BlogReview.ts"
import { BlogDesk } from "./protocol/Blog.ts"

const isWebAddress = (url: string): boolean => URL.canParse(url) && /^https?:$/u.test(new URL(url).protocol)

/** Fails for a text that isn't plain Markdown, for pictures from elsewhere, and for sources that lead nowhere. */
const checkDraft = Effect.fnUntraced(function* ({ bodyMarkdown, coverUrl, sources }: BlogDraft) {
  const { publicUrl } = yield* stationFacts
  const errors = [
    ...blogFaults(bodyMarkdown, publicUrl).map((detail) => ({ pointer: "/bodyMarkdown", detail })),
    ...(coverUrl === null || isOwnMedia(coverUrl, publicUrl)
      ? []
      : [
          {
            pointer: "/coverUrl",
            detail: "must be a picture of this station: a generated social image, or an asset of a gallery"
          }
        ]),
    ...sources.flatMap(({ url }, n) =>
      isWebAddress(url) ? [] : [{ pointer: `/sources/${n}/url`, detail: "must be an http or https address" }]
    )
  ]
  if (errors.length > 0)
    return yield* new InvalidField({
      detail: `The draft can't be published as it is. ${errors[0]!.pointer} ${errors[0]!.detail}.`,
      errors: errors.map((error) => ({ ...error, code: "INVALID_FIELD" }))
    })
})

interface Submitting {
  readonly draft: BlogDraft
  readonly commandKey: string | null
}
/** Takes a draft for review. Nobody but its reviewers reads it before it is published. */
const submit = Effect.fnUntraced(function* (agentId: AgentId, { commandKey, draft }: Submitting) {
  const blog = yield* BlogWriter
  const { publicUrl } = yield* stationFacts
  yield* activeAgent(agentId)
  const contentSha256 = sha256(JSON.stringify(draft))
  const known = commandKey === null ? null : yield* blog.named(agentId, commandKey)
  if (known !== null) {
    if (known.contentSha256 === contentSha256) return blogSubmission(known, publicUrl)
    return yield* new IdempotencyKeyConflict({
      detail: `This idempotency key names the draft ${known.id}, which says something else. Use a new key for a new draft.`
    })
  }
  yield* checkDraft(draft)
  const texts = findFlaggedTexts(blogTexts(draft))
  yield* refuseEscalating("This can't be published. Change the passages that are flagged.", texts)
  const id = (yield* (yield* IdSource).make("blog")) as BlogId
  return yield* command({
    by: agentId,
    allowances: [blogAllowance],
    run: Effect.gen(function* () {
      yield* blog.add({ ...draft, id, agentId, commandKey, contentSha256 }, yield* Clock.currentTimeMillis)
      yield* askForReview(blogCard({ ...draft, id, agentId }, flagsOf(texts)))
      return blogSubmission((yield* blog.find(id))!, publicUrl)
    })
  })
})

/** Blog entries of one agent. All its state is in the store. */
export const BlogDeskLive = statelessLayer(
  BlogDesk,
  Effect.succeed((agentId: AgentId) =>
    BlogDesk.of({
      SubmitDraft: ({ payload }) => submit(agentId, payload),
      ...reviewHandlers([blogReview], (owner) => owner === agentId)
    })
  )
)
