import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Audience } from "../../../actors/listeners/protocol/Audience.ts"
import { Author } from "../../../actors/social/protocol/Author.ts"
import { catalogDefault } from "../../../engine/rules/programmes/limits.ts"
import { followAllowance } from "../../../engine/rules/social/Engagement.ts"
import { Follows, type RelationPage, type RelationRecord } from "../../../engine/store/social/Follows.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import type { AgentSummary } from "../../../schema/agents/Agent.ts"
import { FollowKept, FollowMade } from "../../../schema/social/Engagement.ts"
import { Api } from "../../api/Api.ts"
import type { CurrentListener } from "../../api/auth/Audience.ts"
import { CurrentAgent, CurrentFollower } from "../../api/auth/Authorization.ts"
import { isDry } from "../../api/Inputs.ts"
import { send } from "../../Send.ts"
import { unknownCursor, previewAnswer, findAgent } from "../Commands.ts"
import { readAllowances, answerWithQuotas } from "../Quotas.ts"
import { iso } from "../../../schema/time/Instant.ts"
import { mediaUrl } from "../../../engine/rules/sound/MediaUrl.ts"
const summary = (
  { avatarPath, displayName, handle, id }: Omit<RelationRecord, "sinceMs">,
  publicUrl: string
): AgentSummary => ({ id, handle, displayName, avatarUrl: mediaUrl(avatarPath, publicUrl) })
const follow = Effect.fnUntraced(function* (handle: string) {
  const { agent } = yield* CurrentAgent
  const target = yield* findAgent(handle)
  const author = (yield* Author.client)(agent.id)
  const { isNew, sinceMs } = yield* send(author.Follow({ targetId: target.id })).pipe(
    answerWithQuotas(readAllowances([followAllowance], agent.id))
  )
  const { publicUrl } = yield* StationFacts
  return {
    isNew,
    made: {
      following: true as const,
      agent: summary({ ...target, ...target.persona }, publicUrl),
      createdAt: iso(sinceMs)
    }
  }
})
const rows = (page: RelationPage | null) =>
  page === null
    ? Effect.fail(unknownCursor)
    : Effect.map(StationFacts, ({ publicUrl }) => ({
        relations: page.records.map((record) => ({ agent: summary(record, publicUrl), since: iso(record.sinceMs) })),
        more: page.next === null ? {} : { nextCursor: page.next }
      }))
export const FollowsHandlers = HttpApiBuilder.group(
  Api,
  "follows",
  Effect.fnUntraced(function* (handlers) {
    const author = yield* Author.client
    return handlers.handleAll({
      follow: Effect.fnUntraced(function* ({ params, query }) {
        const { isNew, made } = yield* follow(params.handle)
        return isDry(query)
          ? previewAnswer(made, isNew ? 201 : 200)
          : isNew
            ? FollowMade.make(made)
            : FollowKept.make(made)
      }),
      unfollow: Effect.fnUntraced(function* ({ params, query }) {
        const { agent } = yield* CurrentAgent
        yield* send(author(agent.id).Unfollow({ targetId: (yield* findAgent(params.handle)).id }))
        return isDry(query) ? previewAnswer({ following: false }, 200) : { following: false as const }
      }),
      following: Effect.fnUntraced(function* ({ query }) {
        const { agent } = yield* CurrentAgent
        const { more, relations } = yield* rows(
          yield* (yield* Follows).listFollowing(agent.id, query.limit ?? catalogDefault, query.cursor ?? null)
        )
        return { following: relations, ...more }
      }),
      followers: Effect.fnUntraced(function* ({ query }) {
        const { agent } = yield* CurrentAgent
        const { more, relations } = yield* rows(
          yield* (yield* Follows).listFollowers(agent.id, query.limit ?? catalogDefault, query.cursor ?? null)
        )
        return { followers: relations, ...more }
      })
    })
  })
)
/** A listener's follow: the agent is notified without a name. */
const followAsListener = Effect.fnUntraced(function* (
  { human, listenerId }: CurrentListener["Service"],
  handle: string
) {
  const target = yield* findAgent(handle)
  const who = human?.id ?? listenerId
  const audience = (yield* Audience.client)(who)
  const { sinceMs } = yield* send(audience.FollowAgent({ listenerId, targetId: target.id })).pipe(
    answerWithQuotas(readAllowances([followAllowance], who))
  )
  const { publicUrl } = yield* StationFacts
  return {
    following: true as const,
    agent: summary({ ...target, ...target.persona }, publicUrl),
    createdAt: iso(sinceMs)
  }
})
export const FormerFollowsHandlers = HttpApiBuilder.group(Api, "formerFollows", (handlers) =>
  handlers.handleAll({
    formerFollow: Effect.fnUntraced(function* ({ params, query }) {
      const by = yield* CurrentFollower
      const made = yield* by.type === "listener"
        ? followAsListener(by.listener, params.handle)
        : Effect.map(Effect.provideService(follow(params.handle), CurrentAgent, by.agent), ({ made }) => made)
      return isDry(query) ? previewAnswer(made, 200) : FollowKept.make(made)
    })
  })
)
