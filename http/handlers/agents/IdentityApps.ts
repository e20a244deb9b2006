import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { OperatorDesk } from "../../../actors/operations/protocol/Operators.ts"
import { operatorsListMax } from "../../../engine/rules/agents/limits.ts"
import { appKeyView } from "../../../engine/rules/agents/Identity.ts"
import { AppKeys } from "../../../engine/store/operations/AppKeys.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import { CurrentOperator } from "../../api/auth/Authorization.ts"
import { isDry } from "../../api/Inputs.ts"
import { OpsApi } from "../../api/OpsApi.ts"
import { send } from "../../Send.ts"
import { previewAnswer } from "../Commands.ts"

const actOf = Effect.fnUntraced(function* (reason: string | null | undefined) {
  return { actor: (yield* CurrentOperator).name, reason: reason ?? null }
})
export const IdentityAppsHandlers = HttpApiBuilder.group(
  OpsApi,
  "appKeys",
  Effect.fnUntraced(function* (handlers) {
    const desk = (yield* OperatorDesk.client)((yield* StationFacts).slug)
    const appKeys = yield* AppKeys
    return handlers.handleAll({
      list: () => Effect.map(appKeys.list(operatorsListMax), (found) => ({ appKeys: found.map(appKeyView) })),
      make: Effect.fnUntraced(function* ({ payload: { audiences, name, reason }, query }) {
        const made = yield* send(desk.MakeAppKey({ name, audiences, ...(yield* actOf(reason)) }))
        return isDry(query) ? previewAnswer({ appKey: made.appKey }, 200) : made
      }),
      rotate: Effect.fnUntraced(function* ({ params, payload, query }) {
        const rotated = yield* send(desk.RotateAppKey({ id: params.id, ...(yield* actOf(payload.reason)) }))
        return isDry(query) ? previewAnswer({ appKey: rotated.appKey }, 200) : rotated
      }),
      revoke: Effect.fnUntraced(function* ({ params, query }) {
        const appKey = yield* send(desk.RevokeAppKey({ id: params.id, ...(yield* actOf(query.reason)) }))
        return isDry(query) ? previewAnswer({ appKey }, 200) : { appKey }
      })
    })
  })
)
