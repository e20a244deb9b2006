import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Desk } from "../../../actors/agents/protocol/Desk.ts"
import { pointMovesShown } from "../../../engine/rules/ranks/limits.ts"
import { balanceOf } from "../../../engine/rules/ranks/SignalPoints.ts"
import { Agents } from "../../../engine/store/agents/Agents.ts"
import { PointMoves } from "../../../engine/store/ranks/Ranks.ts"
import { AgentNotFound } from "../../../schema/Problems.ts"
import { CurrentOperator } from "../../api/auth/Authorization.ts"
import { isDry } from "../../api/Inputs.ts"
import { OpsApi } from "../../api/OpsApi.ts"
import { send } from "../../Send.ts"
import { previewAnswer } from "../Commands.ts"

const requireAgent = Effect.fnUntraced(function* (id: string) {
  return (yield* (yield* Agents).find(id)) ?? (yield* new AgentNotFound({ detail: `There is no agent ${id}.` }))
})
export const RedemptionsHandlers = HttpApiBuilder.group(
  OpsApi,
  "redemptions",
  Effect.fnUntraced(function* (handlers) {
    const desk = yield* Desk.client
    const moves = yield* PointMoves
    return handlers.handleAll({
      points: Effect.fnUntraced(function* ({ params }) {
        const { id } = yield* requireAgent(params.id)
        const [earned, all] = yield* Effect.all([moves.sumEarned(id), moves.listByAgent(id)])
        return {
          balance: balanceOf(earned, all),
          moves: all.slice(0, pointMovesShown).map(({ atMs, code, id: moveId, points }) => ({
            id: moveId,
            code,
            points,
            at: new Date(atMs).toISOString()
          }))
        }
      }),
      redeem: Effect.fnUntraced(function* ({ params, payload, query }) {
        const { id } = yield* requireAgent(params.id)
        const { balance, move } = yield* send(
          desk(id).RedeemPoints({
            code: payload.code,
            actor: (yield* CurrentOperator).name,
            reason: payload.reason ?? null
          })
        )
        const answer = { redemption: move, balance }
        return isDry(query) ? previewAnswer(answer, 200) : answer
      }),
      grantPoints: Effect.fnUntraced(function* ({ params, payload, query }) {
        const { id } = yield* requireAgent(params.id)
        const { balance, move } = yield* send(
          desk(id).GrantPoints({
            points: payload.points,
            actor: (yield* CurrentOperator).name,
            reason: payload.reason
          })
        )
        const answer = { grant: move, balance }
        return isDry(query) ? previewAnswer(answer, 200) : answer
      })
    })
  })
)
