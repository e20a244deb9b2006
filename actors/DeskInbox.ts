import { Clock, Effect } from "effect"
import { isAppealProof } from "../engine/AppealLink.ts"
import { StationConfig } from "../engine/Config.ts"
import { Keys } from "../engine/Keys.ts"
import { appealsPerDay, featureHours } from "../engine/Limits.ts"
import { previewOf } from "../engine/rules/Inbox.ts"
import { dayName } from "../engine/rules/Points.ts"
import { precheck } from "../engine/rules/Precheck.ts"
import { hourMs } from "../engine/rules/SpeechQuota.ts"
import { Agents } from "../engine/store/Agents.ts"
import { Inboxes } from "../engine/store/Inboxes.ts"
import { Interactions } from "../engine/store/Interactions.ts"
import { Ranks } from "../engine/store/Ranks.ts"
import { type ReviewRecord, Reviews } from "../engine/store/Reviews.ts"
import { Transaction } from "../engine/store/Transaction.ts"
import type { AgentId } from "../schema/Ids.ts"
import type { Disposition, FeaturedDraft } from "../schema/Inbox.ts"
import { AlreadyFeatured, NotFound, ReviewConflict } from "../schema/Problems.ts"
import type { ReviewStatus } from "../schema/Review.ts"
import { Room } from "./protocol/Room.ts"
import { performed } from "./Rehearsing.ts"
import { askForReview } from "./Reviewing.ts"
import { spend } from "./Spending.ts"
import { excerptHash } from "./Submission.ts"
import { tell } from "./Telling.ts"

const noMessage = new NotFound({ detail: "No approved message to you or your shows has this id." })
const taken = new AlreadyFeatured({ detail: "Another agent is working on an answer to it. If none comes, it is free again a day later." })
const appealWaits = new ReviewConflict({ detail: "An appeal of this agent waits already. Its answer will stand at the same address." })

/** Whoever dismisses a question from the chat doesn't answer it. A room that is too busy lets it run out instead. */
const declined = Effect.fnUntraced(function*(agentId: AgentId, ids: ReadonlyArray<string>) {
  const messageIds = ids.flatMap((id) => id.startsWith("chat_addressed:") ? [id.slice("chat_addressed:".length)] : [])
  if (messageIds.length === 0) return
  const { stationSlug } = yield* StationConfig
  yield* Effect.ignoreCause((yield* Room.client)(stationSlug).Decline({ agentId, messageIds }))
})

const acknowledge = Effect.fn("Desk.acknowledge")(function*(agentId: AgentId, { disposition, dryRun, itemIds }: { readonly itemIds: ReadonlyArray<string>; readonly disposition: Disposition; readonly dryRun: boolean }) {
  const inboxes = yield* Inboxes
  const ids = [...new Set(itemIds)]
  const nowMs = yield* Clock.currentTimeMillis
  const found = new Set(yield* dryRun ? inboxes.known(agentId, ids, nowMs) : inboxes.dispose(agentId, ids, disposition, nowMs))
  if (disposition === "dismissed" && !dryRun) yield* declined(agentId, [...found])
  return { acknowledged: ids.filter((id) => found.has(id)), unknown: ids.filter((id) => !found.has(id)), disposition }
})

const feature = Effect.fn("Desk.feature")(function*(agentId: AgentId, interactionId: string) {
  const interactions = yield* Interactions
  const nowMs = yield* Clock.currentTimeMillis
  const message = yield* interactions.answerable(interactionId, agentId)
  if (message === null) return yield* noMessage
  const kept = yield* interactions.feature(message.id, agentId, nowMs, nowMs + featureHours * hourMs)
  if (kept === null) return yield* taken
  const draft: FeaturedDraft = {
    messageId: kept.id, attribution: kept.listenerLabel, excerpt: kept.content === null ? null : previewOf(kept.content), suggestedTitle: "A listener writes", category: "listener_response",
    untrusted: ["attribution", "excerpt"], expiresAt: new Date(kept.featuredUntilMs!).toISOString()
  }
  return draft
})

const checkIn = Effect.fn("Desk.checkIn")(function*(agentId: AgentId) {
  const day = dayName(yield* Clock.currentTimeMillis)
  if (!(yield* (yield* Ranks).has(agentId, "check_in", day))) yield* (yield* Transaction).run(tell({ _tag: "AgentCheckedIn", agentId }))
})

const appeal = Effect.fn("Desk.appeal")(function*(agentId: AgentId, { about, proof, words }: { readonly proof: string; readonly about: string; readonly words: string }) {
  const agent = isAppealProof(yield* Keys, agentId, proof) ? yield* (yield* Agents).find(agentId) : null
  if (agent === null || agent.deletedAtMs !== null) return yield* new NotFound({ detail: "The link is not one of ours." })
  if ((yield* (yield* Reviews).openFor("appeal", agentId)) !== null) return yield* appealWaits
  yield* (yield* Transaction).run(Effect.andThen(spend({ name: "appeals", perDay: appealsPerDay }, agentId), askForReview({
    kind: "appeal", type: "appeal", id: agentId, agentId, flags: precheck(words, excerptHash).flags, escalated: false, title: about, body: words
  })))
})

/** An answer to an appeal changes nothing by itself: who answers it lifts the block by the operation that does. */
export const appealFollowing = {
  apply: (_: ReviewRecord, status: ReviewStatus) => Effect.succeed({ before: null, after: { appeal: status } }),
  restore: () => Effect.succeed({ appeal: "open" })
}

/** What an agent does with what lies on its desk. */
export const deskInbox = (agentId: AgentId) => ({
  Acknowledge: ({ payload }: { readonly payload: Parameters<typeof acknowledge>[1] }) => acknowledge(agentId, payload),
  FeatureMessage: ({ payload }: { readonly payload: { readonly interactionId: string; readonly dryRun: boolean } }) => performed(feature(agentId, payload.interactionId), payload.dryRun),
  CheckIn: () => checkIn(agentId),
  Appeal: ({ payload }: { readonly payload: Parameters<typeof appeal>[1] }) => appeal(agentId, payload)
})
