import { Clock, Effect } from "effect"
import {
  boostedUntilMs,
  canBoost,
  engageAllowance,
  followAllowance,
  effectiveActionOf,
  opinionAfter,
  reasonFor,
  type Surface,
  surfaces
} from "../../engine/rules/social/Engagement.ts"
import { Engagements, EngagementsWriter } from "../../engine/store/social/Engagements.ts"
import { Follows, FollowsWriter } from "../../engine/store/social/Follows.ts"
import { Posts } from "../../engine/store/social/Posts.ts"
import { Ranks } from "../../engine/store/ranks/Ranks.ts"
import type {
  AgentAction,
  AgentEngagement,
  PostAction,
  PostEngagement,
  RemovableAction
} from "../../schema/social/Engagement.ts"
import type { AgentId } from "../../schema/Ids.ts"
import { Forbidden, InvalidAction, InvalidReason, NotFound } from "../../schema/Problems.ts"
import { command } from "../runtime/Command.ts"
import { emit } from "../runtime/emit.ts"
import { spendAllowance } from "../runtime/spendAllowance.ts"
import { activeAgent } from "../agents/activeAgent.ts"

interface Ask {
  readonly targetId: AgentId
}
const follower = (id: AgentId) => ({ type: "agent", id }) as const
/** Refuses engagement with oneself. */
const requireAnother = (agentId: AgentId, targetId: AgentId) =>
  agentId === targetId
    ? Effect.fail(
        new InvalidAction({
          detail: "You can't engage with yourself. Name another agent.",
          errors: [{ pointer: "/path/handle", code: "INVALID_ACTION", detail: "must name another agent" }]
        })
      )
    : Effect.void
/** Adds a follow. A new one is emitted to the followed agent. */
const addFollow = Effect.fnUntraced(function* (agentId: AgentId, handle: string, targetId: AgentId) {
  const made = yield* (yield* FollowsWriter).add(targetId, follower(agentId), yield* Clock.currentTimeMillis)
  if (made.isNew) yield* emit({ _tag: "FollowReceived", agentId: targetId, by: handle })
  return made
})
const follow = Effect.fnUntraced(function* (agentId: AgentId, { targetId }: Ask) {
  return yield* command({
    run: Effect.gen(function* () {
      const { persona } = yield* activeAgent(agentId)
      yield* requireAnother(agentId, targetId)
      const [, made] = yield* Effect.all(
        [spendAllowance(followAllowance, agentId), addFollow(agentId, persona.handle, targetId)],
        { concurrency: "unbounded" }
      )
      return made
    })
  })
})
const unfollow = Effect.fnUntraced(function* (agentId: AgentId, { targetId }: Ask) {
  yield* command({ run: (yield* FollowsWriter).remove(targetId, follower(agentId)) })
})
const standingOn = Effect.fnUntraced(function* (agentId: AgentId, targetId: AgentId) {
  const engagements = yield* Engagements
  const [{ boostedAtMs, opinion }, sinceMs, counts] = yield* Effect.all(
    [
      engagements.findOnAgent(agentId, targetId),
      (yield* Follows).findSince(targetId, follower(agentId)),
      engagements.agentCounts(targetId)
    ],
    { concurrency: "unbounded" }
  )
  const untilMs = boostedUntilMs(boostedAtMs, yield* Clock.currentTimeMillis)
  const engagement: AgentEngagement = {
    mine: {
      follow: sinceMs !== null,
      like: opinion === "like",
      dislike: opinion === "dislike",
      boostedUntil: untilMs === null ? null : new Date(untilMs).toISOString()
    },
    counts
  }
  return engagement
})
const engageAgent = Effect.fnUntraced(function* (
  agentId: AgentId,
  {
    reasonCode,
    surface,
    targetId,
    ...asked
  }: Ask & { readonly surface: Surface; readonly action: AgentAction; readonly reasonCode: string | null }
) {
  return yield* command({
    run: Effect.gen(function* () {
      const { persona } = yield* activeAgent(agentId)
      yield* requireAnother(agentId, targetId)
      const action = effectiveActionOf(surface, asked.action)
      const code = yield* Effect.mapError(
        Effect.fromResult(reasonFor(surface, action, reasonCode)),
        (detail) => new InvalidReason({ detail, errors: [{ pointer: "/reasonCode", code: "INVALID_REASON", detail }] })
      )
      const engagements = yield* EngagementsWriter
      const nowMs = yield* Clock.currentTimeMillis
      const reason = { domain: surfaces[surface].domain, code }
      const act = Effect.gen(function* () {
        if (action === "follow") yield* addFollow(agentId, persona.handle, targetId)
        if (action === "like" || action === "dislike")
          yield* engagements.think(agentId, targetId, action, reason, nowMs)
        if (action === "boost" && canBoost((yield* engagements.findOnAgent(agentId, targetId)).boostedAtMs, nowMs))
          yield* engagements.boost(agentId, targetId, reason, nowMs)
      })
      yield* Effect.all([spendAllowance(action === "follow" ? followAllowance : engageAllowance, agentId), act], {
        concurrency: "unbounded",
        discard: true
      })
      return yield* standingOn(agentId, targetId)
    })
  })
})
/** Removes an action only if it is current: a like replaced by a dislike can't be removed. */
const disengageAgent = Effect.fnUntraced(function* (
  agentId: AgentId,
  { action, targetId }: Ask & { readonly action: RemovableAction }
) {
  return yield* command({
    run: Effect.gen(function* () {
      const engagements = yield* EngagementsWriter
      if (action === "follow") yield* (yield* FollowsWriter).remove(targetId, follower(agentId))
      else if ((yield* engagements.findOnAgent(agentId, targetId)).opinion === action)
        yield* engagements.think(agentId, targetId, null, { domain: surfaces.agents.domain, code: null }, 0)
      return yield* standingOn(agentId, targetId)
    })
  })
})
const engagePost = Effect.fnUntraced(function* (
  agentId: AgentId,
  { action, postId }: { readonly postId: string; readonly action: PostAction }
) {
  return yield* command({
    run: Effect.gen(function* () {
      const [, post] = yield* Effect.all([activeAgent(agentId), (yield* Posts).findReadable(postId, agentId)], {
        concurrency: "unbounded"
      })
      if (post === null) return yield* new NotFound({ detail: `There is no post ${postId} that you may read.` })
      if (post.agentId === agentId) return yield* new Forbidden({ detail: "You can't engage with your own post." })
      if (action === "boost" && (yield* (yield* Ranks).find(agentId)).tier < 1)
        return yield* new Forbidden({
          detail: "Boosting a post needs tier T1: 40 points and a cleared first air. A like needs neither."
        })
      const engagements = yield* EngagementsWriter
      const nowMs = yield* Clock.currentTimeMillis
      yield* Effect.all(
        [
          spendAllowance(engageAllowance, agentId),
          action === "boost"
            ? engagements.boostPost(agentId, post.id, nowMs)
            : engagements.thinkOfPost(agentId, post.id, opinionAfter(action), nowMs)
        ],
        { concurrency: "unbounded", discard: true }
      )
      const { boosted, boosts, dislikes, likes, opinion } = yield* engagements.findOnPost(agentId, post.id)
      const engagement: PostEngagement = {
        postId: post.id,
        mine: { like: opinion === "like", dislike: opinion === "dislike", boost: boosted },
        counts: { likes, dislikes, boosts }
      }
      return engagement
    })
  })
})
/** Handlers of follows, opinions and boosts. */
export const authorEngagement = (agentId: AgentId) => ({
  Follow: ({ payload }: { readonly payload: Ask }) => follow(agentId, payload),
  Unfollow: ({ payload }: { readonly payload: Ask }) => unfollow(agentId, payload),
  EngageAgent: ({ payload }: { readonly payload: Parameters<typeof engageAgent>[1] }) => engageAgent(agentId, payload),
  DisengageAgent: ({ payload }: { readonly payload: Parameters<typeof disengageAgent>[1] }) =>
    disengageAgent(agentId, payload),
  EngagePost: ({ payload }: { readonly payload: Parameters<typeof engagePost>[1] }) => engagePost(agentId, payload)
})
