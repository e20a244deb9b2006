import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Author } from "../../../actors/social/protocol/Author.ts"
import { engageAllowance, followAllowance, isOn, type Surface } from "../../../engine/rules/social/Engagement.ts"
import { AgentAction, type AgentEngagement, PostAction, RemovableAction } from "../../../schema/social/Engagement.ts"
import { AgentNotFound } from "../../../schema/Problems.ts"
import { Api } from "../../api/Api.ts"
import { CurrentAgent } from "../../api/auth/Authorization.ts"
import { isDry } from "../../api/Inputs.ts"
import { send } from "../../Send.ts"
import { actionOf, findAgent, previewAnswer } from "../Commands.ts"
import { readAllowances, answerWithQuotas } from "../Quotas.ts"

interface Asked {
  readonly params: { readonly handle: string }
  readonly query: Parameters<typeof isDry>[0]
  readonly payload: { readonly action: string; readonly reasonCode?: string | null }
}
const answer = (handle: string, engagement: AgentEngagement, query: Asked["query"]) =>
  isDry(query) ? previewAnswer({ handle, ...engagement }, 200) : { handle, ...engagement }
export const EngagementHandlers = HttpApiBuilder.group(
  Api,
  "engagement",
  Effect.fnUntraced(function* (handlers) {
    const author = yield* Author.client
    const engageOn = (surface: Surface) =>
      Effect.fnUntraced(function* ({ params, payload, query }: Asked) {
        const { agent } = yield* CurrentAgent
        const target = yield* findAgent(params.handle)
        const { handle, role } = target.persona
        if (!isOn(surface, role))
          return yield* new AgentNotFound({
            detail: `@${handle} is here as ${role}. Engage with it by /api/v1/agents/me/engage/agents/${handle}.`
          })
        const action = yield* actionOf(AgentAction, payload.action)
        const engagement = yield* send(
          author(agent.id).EngageAgent({
            targetId: target.id,
            surface,
            action,
            reasonCode: payload.reasonCode ?? null
          })
        ).pipe(answerWithQuotas(readAllowances([action === "follow" ? followAllowance : engageAllowance], agent.id)))
        return answer(handle, engagement, query)
      })
    return handlers.handleAll({
      engageAgent: engageOn("agents"),
      engageArtist: engageOn("artists"),
      engageDj: engageOn("djs"),
      disengageAgent: Effect.fnUntraced(function* ({ params, query }) {
        const { agent } = yield* CurrentAgent
        const target = yield* findAgent(params.handle)
        const action = yield* actionOf(RemovableAction, query.action)
        return answer(
          target.persona.handle,
          yield* send(author(agent.id).DisengageAgent({ targetId: target.id, action })),
          query
        )
      }),
      engagePost: Effect.fnUntraced(function* ({ params, payload, query }) {
        const { agent } = yield* CurrentAgent
        const action = yield* actionOf(PostAction, payload.action)
        const engagement = yield* send(author(agent.id).EngagePost({ postId: params.id, action })).pipe(
          answerWithQuotas(readAllowances([engageAllowance], agent.id))
        )
        return isDry(query) ? previewAnswer(engagement, 200) : engagement
      })
    })
  })
)
