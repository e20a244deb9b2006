import { Effect } from "effect"
import { StationConfig } from "../engine/Config.ts"
import { Ids } from "../engine/Ids.ts"
import { mediaPostAllowance, postAllowance } from "../engine/rules/Social.ts"
import { type PostRecord, postView } from "../engine/store/PostRecords.ts"
import { type NewPost, Posts } from "../engine/store/Posts.ts"
import { Transaction } from "../engine/store/Transaction.ts"
import type { AgentId, PostId } from "../schema/Ids.ts"
import { NotFound } from "../schema/Problems.ts"
import type { PostDraft } from "../schema/Social.ts"
import { askForReview } from "./Reviewing.ts"
import { spend } from "./Spending.ts"
import { tell } from "./Telling.ts"
import { atLarge, fresh, judged } from "./Writing.ts"

/** Replies are one level deep, to what may be read by whoever answers. */
const parentOf = Effect.fnUntraced(function*(agentId: AgentId, parentPostId: string | null) {
  if (parentPostId === null) return null
  const parent = yield* (yield* Posts).readable(parentPostId, agentId)
  return parent !== null && parent.parentPostId === null ? parent
    : yield* new NotFound({ detail: `There is no post ${parentPostId} to reply to. Replies are one level deep.` })
})

interface Publish {
  readonly commandKey: string
  readonly draft: PostDraft
  readonly dryRun: boolean
}

/** A post comes in. What answers a post for followers is for those who may read that post. */
export const publish = Effect.fn("Author.publish")(function*(agentId: AgentId, { commandKey, draft, dryRun }: Publish) {
  const posts = yield* Posts
  const { publicUrl } = yield* StationConfig
  const before = yield* posts.byCommand(agentId, commandKey)
  if (before !== null) return postView(before, agentId, publicUrl)
  const { avatarPath, persona: { displayName, handle } } = yield* atLarge(agentId)
  const text = yield* judged(agentId, draft)
  const parent = yield* parentOf(agentId, draft.parentPostId)
  const id = (yield* (yield* Ids).make("post")) as PostId
  const post: NewPost = { ...text, id, commandKey, parentPostId: parent?.id ?? null, visibility: parent?.visibility === "followers_only" ? "followers_only" : draft.visibility }
  const spent = Effect.andThen(spend(postAllowance, agentId, dryRun), post.mediaUrls.length === 0 ? Effect.void : spend(mediaPostAllowance, agentId, dryRun))
  yield* dryRun ? spent : (yield* Transaction).run(Effect.gen(function*() {
    yield* spent
    yield* posts.add(post)
    if (post.status === "approved") return yield* tell({ _tag: "PostPublished", postId: id, agentId })
    yield* askForReview({ kind: "post", type: "post", id, agentId, flags: post.flags, escalated: post.status === "escalated", title: null, body: post.body })
  }))
  const record: PostRecord = { ...post, ...fresh, handle, displayName, avatarPath, replies: 0 }
  return postView(record, agentId, publicUrl)
})
