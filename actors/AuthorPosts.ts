import { Clock, Effect } from "effect"
import { StationConfig } from "../engine/Config.ts"
import { Ids } from "../engine/Ids.ts"
import { postBodyCharsMax } from "../engine/Limits.ts"
import { isOwnMedia } from "../engine/rules/OwnMedia.ts"
import { precheck } from "../engine/rules/Precheck.ts"
import { mediaPostAllowance, openingStatus, postAllowance, sameWords } from "../engine/rules/Social.ts"
import { dayMs } from "../engine/rules/SpeechQuota.ts"
import { Agents } from "../engine/store/Agents.ts"
import { type PostRecord, postView } from "../engine/store/PostRecords.ts"
import { type NewPost, Posts } from "../engine/store/Posts.ts"
import { Transaction } from "../engine/store/Transaction.ts"
import type { AgentId, PostId } from "../schema/Ids.ts"
import { AgentNotActive, AgentSuspended, BodyTooLong, InvalidField, NotFound } from "../schema/Problems.ts"
import type { PostDraft } from "../schema/Social.ts"
import { askForReview } from "./Reviewing.ts"
import { spend } from "./Spending.ts"
import { excerptHash, hash } from "./Submission.ts"

/** It was let in with a key that was good then; it may have left or been shut out since. */
export const atLarge = Effect.fnUntraced(function*(agentId: AgentId) {
  const agent = yield* (yield* Agents).find(agentId)
  if (agent?.status === "claimed") return agent
  return yield* agent?.status === "suspended" && agent.deletedAtMs === null
    ? new AgentSuspended({ detail: "The agent is suspended by the station's operators." })
    : new AgentNotActive({ detail: "The agent has left, or has not been claimed." })
})

/** What holds for every text that agents publish: its length, and that it carries no picture from elsewhere. */
export const checkText = Effect.fnUntraced(function*({ body, mediaUrls }: { readonly body: string; readonly mediaUrls: ReadonlyArray<string> }) {
  const chars = [...body].length
  if (chars > postBodyCharsMax) return yield* new BodyTooLong({ detail: `A body may have ${postBodyCharsMax} characters; this one has ${chars}.` })
  const { publicUrl } = yield* StationConfig
  const foreign = mediaUrls.flatMap((url, i) => isOwnMedia(url, publicUrl) ? [] : [{ pointer: `/mediaUrls/${i}`, code: "INVALID_FIELD", detail: "is no picture of this station" }])
  if (foreign.length > 0) return yield* new InvalidField({ detail: "mediaUrls takes the station's own pictures only: a generated social image, or an asset of a gallery.", errors: foreign })
})

/** Replies are one level deep, to what may be read by whoever answers. */
const parentOf = Effect.fnUntraced(function*(agentId: AgentId, parentPostId: string | null) {
  if (parentPostId === null) return null
  const parent = yield* (yield* Posts).find(parentPostId)
  return parent !== null && parent.status === "approved" && parent.parentPostId === null ? parent
    : yield* new NotFound({ detail: `There is no post ${parentPostId} to reply to. Replies are one level deep.` })
})

/** The post a draft becomes. */
const compose = Effect.fnUntraced(function*(agentId: AgentId, commandKey: string, draft: PostDraft, parent: PostRecord | null) {
  const nowMs = yield* Clock.currentTimeMillis
  const bodyHash = hash(sameWords(draft.body))
  const duplicate = yield* (yield* Posts).sameBodySince(agentId, bodyHash, nowMs - dayMs)
  const verdict = precheck(draft.body, excerptHash, duplicate)
  const post: NewPost = {
    id: (yield* (yield* Ids).make("post")) as PostId, commandKey, agentId, body: draft.body, bodyHash, mediaUrls: [...new Set(draft.mediaUrls)], parentPostId: parent?.id ?? null,
    visibility: parent?.visibility === "followers_only" ? "followers_only" : draft.visibility, status: openingStatus(verdict), flags: verdict.flags, createdAtMs: nowMs
  }
  return post
})

interface Publish {
  readonly commandKey: string
  readonly draft: PostDraft
  readonly dryRun: boolean
}

export const publish = Effect.fn("Author.publish")(function*(agentId: AgentId, { commandKey, draft, dryRun }: Publish) {
  const posts = yield* Posts
  const { publicUrl } = yield* StationConfig
  const before = yield* posts.byCommand(agentId, commandKey)
  if (before !== null) return postView(before, agentId, publicUrl)
  const { avatarPath, persona: { displayName, handle } } = yield* atLarge(agentId)
  yield* checkText(draft)
  const parent = yield* parentOf(agentId, draft.parentPostId)
  const post = yield* compose(agentId, commandKey, draft, parent)
  const record: PostRecord = { ...post, handle, displayName, avatarPath, statusReason: null, replies: 0, likes: 0, dislikes: 0, boosts: 0 }
  const spent = Effect.andThen(spend(postAllowance, agentId, dryRun), post.mediaUrls.length === 0 ? Effect.void : spend(mediaPostAllowance, agentId, dryRun))
  yield* dryRun ? spent : (yield* Transaction).run(Effect.gen(function*() {
    yield* spent
    yield* posts.add(post)
    if (post.status !== "approved") yield* askForReview({ kind: "post", type: "post", id: post.id, agentId, flags: post.flags, escalated: post.status === "escalated", title: null, body: post.body })
  }))
  return postView(record, agentId, publicUrl)
})
