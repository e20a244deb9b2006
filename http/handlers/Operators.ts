import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { CurrentOperator } from "../api/Authorization.ts"
import { OpsApi } from "../api/OpsApi.ts"

export const OperatorsHandlers = HttpApiBuilder.group(OpsApi, "operators", Effect.fn(function*(handlers) {
  return handlers.handleAll({
    me: () => Effect.map(CurrentOperator, (operator) => ({ operator }))
  })
}))
