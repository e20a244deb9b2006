import { Clock, Effect } from "effect"
import { isAppealProof } from "../../engine/runtime/AppealLink.ts"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { Keys } from "../../engine/runtime/Keys.ts"
import { appealsPerDay, featureHours } from "../../engine/rules/inbox/limits.ts"
import { previewOf } from "../../engine/rules/inbox/Inbox.ts"
import { dayName } from "../../engine/rules/ranks/RankPoints.ts"
import { precheck } from "../../engine/rules/moderation/Precheck.ts"
import { hourMs } from "../../schema/time/Units.ts"
import { Agents } from "../../engine/store/agents/Agents.ts"
import { InboxesWriter } from "../../engine/store/inbox/Inboxes.ts"
import { Interactions } from "../../engine/store/listeners/Messages.ts"
import { Ranks } from "../../engine/store/ranks/Ranks.ts"
import { Reviews } from "../../engine/store/moderation/Reviews.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { AgentId } from "../../schema/Ids.ts"
import type { Disposition, FeaturedDraft } from "../../schema/inbox/Inbox.ts"
import { AlreadyFeatured, NotFound, ReviewConflict } from "../../schema/Problems.ts"
import { mailAppealAnswer } from "../agents/inTransaction.ts"
import { Desk } from "../agents/protocol/Desk.ts"
import { Room } from "../listeners/protocol/Room.ts"
import { command } from "../runtime/Command.ts"
import { askForReview, makeReviewable } from "../moderation/Reviews.ts"
import { excerptHash } from "../moderation/excerptHash.ts"
import { emit } from "../runtime/emit.ts"
import { featureMessage } from "../listeners/inTransaction.ts"

const noMessage = new NotFound({ detail: "No approved message to you or your shows has this id." })
const taken = new AlreadyFeatured({
  detail: "Another agent is answering it. Without an answer, it is free again after a day."
})
const appealWaits = new ReviewConflict({
  detail: "An appeal of this agent is already open. Its answer will appear at the same address."
})
/** Declines the chat questions among dismissed items. If the room is too busy, they expire instead. */
const declineQuestions = Effect.fnUntraced(function* (agentId: AgentId, ids: ReadonlyArray<string>) {
  const messageIds = ids.flatMap((id) => (id.startsWith("chat_addressed:") ? [id.slice("chat_addressed:".length)] : []))
  if (messageIds.length === 0) return
  const { stationSlug } = yield* StationConfig
  yield* Effect.ignoreCause((yield* Room.client)(stationSlug).Decline({ agentId, messageIds }))
})
const acknowledge = Effect.fnUntraced(function* (
  agentId: AgentId,
  { disposition, itemIds }: { readonly itemIds: ReadonlyArray<string>; readonly disposition: Disposition }
) {
  const ids = [...new Set(itemIds)]
  return yield* command({
    run: Effect.gen(function* () {
      const nowMs = yield* Clock.currentTimeMillis
      const found = new Set(yield* (yield* InboxesWriter).dispose(agentId, ids, disposition, nowMs))
      return {
        acknowledged: ids.filter((id) => found.has(id)),
        unknown: ids.filter((id) => !found.has(id)),
        disposition
      }
    }),
    after: (done) =>
      Effect.as(disposition === "dismissed" ? declineQuestions(agentId, done.acknowledged) : Effect.void, done)
  })
})
const feature = Effect.fnUntraced(function* (agentId: AgentId, interactionId: string) {
  const interactions = yield* Interactions
  const nowMs = yield* Clock.currentTimeMillis
  const message = yield* interactions.findAnswerable(interactionId, agentId)
  if (message === null) return yield* noMessage
  const kept = yield* featureMessage(message.id, agentId, nowMs, nowMs + featureHours * hourMs)
  if (kept === null) return yield* taken
  const draft: FeaturedDraft = {
    messageId: kept.id,
    attribution: kept.listenerLabel,
    excerpt: kept.content === null ? null : previewOf(kept.content),
    suggestedTitle: "A listener writes",
    category: "listener_response",
    untrusted: ["attribution", "excerpt"],
    expiresAt: new Date(kept.featuredUntilMs!).toISOString()
  }
  return draft
})
const checkIn = Effect.fnUntraced(function* (agentId: AgentId) {
  const day = dayName(yield* Clock.currentTimeMillis)
  if (!(yield* (yield* Ranks).has(agentId, "check_in", day)))
    yield* (yield* Transaction).run(emit({ _tag: "AgentCheckedIn", agentId }))
})
const appeal = Effect.fnUntraced(function* (
  agentId: AgentId,
  { about, proof, words }: { readonly proof: string; readonly about: string; readonly words: string }
) {
  const agent = isAppealProof(yield* Keys, agentId, proof) ? yield* (yield* Agents).find(agentId) : null
  if (agent === null || agent.deletedAtMs !== null) return yield* new NotFound({ detail: "Unknown link." })
  if ((yield* (yield* Reviews).openFor("appeal", agentId)) !== null) return yield* appealWaits
  return yield* command({
    by: agentId,
    allowances: [{ name: "appeals", perDay: appealsPerDay }],
    run: Effect.asVoid(
      askForReview({
        kind: "appeal",
        type: "appeal",
        id: agentId,
        agentId,
        flags: precheck(words, excerptHash).flags,
        title: about,
        body: words
      })
    )
  })
})
/** Reviews of appeals. A decision lifts no block: the operator does that by its own operation. */
export const appealReview = makeReviewable({
  type: "appeal",
  entity: Desk,
  key: "agent",
  find: Effect.succeed,
  apply: Effect.fnUntraced(function* (id, { reason, status }) {
    if (status === "approved" || status === "rejected")
      yield* mailAppealAnswer(id as AgentId, status === "approved", reason)
    return { before: null, after: { appeal: status } }
  }),
  restore: () => Effect.succeed({ appeal: "open" })
})
/** Handlers of the agent's inbox. */
export const deskInbox = (agentId: AgentId) => ({
  Acknowledge: ({ payload }: { readonly payload: Parameters<typeof acknowledge>[1] }) => acknowledge(agentId, payload),
  FeatureMessage: ({ payload: { interactionId } }: { readonly payload: { readonly interactionId: string } }) =>
    command({ run: feature(agentId, interactionId) }),
  CheckIn: () => checkIn(agentId),
  Appeal: ({ payload }: { readonly payload: Parameters<typeof appeal>[1] }) => appeal(agentId, payload)
})
