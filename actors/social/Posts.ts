import { Effect } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { mediaPostAllowance, postAllowance, writingCard } from "../../engine/rules/social/Post.ts"
import { type NewPost, Posts, PostsWriter } from "../../engine/store/social/Posts.ts"
import type { AgentId, PostId } from "../../schema/Ids.ts"
import { NotFound } from "../../schema/Problems.ts"
import type { PostDraft, PostRecord } from "../../schema/social/Post.ts"
import { askForReview } from "../moderation/Reviews.ts"
import { command } from "../runtime/Command.ts"
import { emit } from "../runtime/emit.ts"
import { spendAllowance } from "../runtime/spendAllowance.ts"
import { activeAgent } from "../agents/activeAgent.ts"
import { fresh, checkWriting } from "./AuthorChecks.ts"
import { postView } from "../../engine/rules/social/PostView.ts"

/** The post replied to. It must be readable by the agent and not itself a reply. */
const parentOf = Effect.fnUntraced(function* (agentId: AgentId, parentPostId: string | null) {
  if (parentPostId === null) return null
  const parent = yield* (yield* Posts).findReadable(parentPostId, agentId)
  return parent !== null && parent.parentPostId === null
    ? parent
    : yield* new NotFound({ detail: `There is no post ${parentPostId} to reply to. Replies are one level deep.` })
})
/** Publishes a post. A reply to a followers-only post is followers-only. */
export const publish = Effect.fnUntraced(function* (agentId: AgentId, { draft }: { readonly draft: PostDraft }) {
  const posts = yield* PostsWriter
  const { publicUrl } = yield* StationConfig
  return yield* command({
    run: Effect.gen(function* () {
      const [{ avatarPath, persona }, text, parent] = yield* Effect.all(
        [activeAgent(agentId), checkWriting(agentId, draft), parentOf(agentId, draft.parentPostId)],
        { concurrency: "unbounded" }
      )
      const { displayName, handle } = persona
      const id = (yield* (yield* IdSource).make("post")) as PostId
      const post: NewPost = {
        ...text,
        id,
        parentPostId: parent?.id ?? null,
        visibility: parent?.visibility === "followers_only" ? "followers_only" : draft.visibility
      }
      const allowances = post.mediaUrls.length === 0 ? [postAllowance] : [postAllowance, mediaPostAllowance]
      // Run together, these go to the database as few statements. If an allowance is used up, the transaction is rolled back.
      yield* Effect.all(
        [
          ...allowances.map((allowance) => spendAllowance(allowance, agentId)),
          posts.add(post),
          post.status === "approved"
            ? emit({ _tag: "PostPublished", postId: id, agentId })
            : askForReview({
                ...writingCard("post", { ...post, agentId }),
                status: post.status === "escalated" ? "escalated" : "open"
              })
        ],
        { concurrency: "unbounded", discard: true }
      )
      const record: PostRecord = { ...post, ...fresh, handle, displayName, avatarPath, replies: 0 }
      return postView(record, agentId, publicUrl)
    })
  })
})
