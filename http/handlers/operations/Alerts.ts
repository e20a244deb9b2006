import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import { OperatorDesk } from "../../../actors/operations/protocol/Operators.ts"
import { alertView } from "../../../engine/rules/operations/Alerts.ts"
import { storePatienceMs } from "../../../engine/rules/operations/limits.ts"
import { Alerts } from "../../../engine/store/operations/Alerts.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import { Busy } from "../../../schema/Problems.ts"
import { CurrentOperator } from "../../api/auth/Authorization.ts"
import { isDry } from "../../api/Inputs.ts"
import { OpsApi } from "../../api/OpsApi.ts"
import { limitOf } from "../../api/segments/Segments.ts"
import { send } from "../../Send.ts"
import { nextCursorOf, unknownCursor, previewAnswer } from "../Commands.ts"

const noStore = new Busy({ detail: "The store does not answer. Open alerts can be read without it.", retryAfterSec: 2 })

export const AlertsHandlers = HttpApiBuilder.group(
  OpsApi,
  "alerts",
  Effect.fnUntraced(function* (handlers) {
    const desk = (yield* OperatorDesk.client)((yield* StationFacts).slug)
    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ query }) {
        const state = query.state ?? "open"
        const shown = (yield* (yield* EventBus).get("alerts")) ?? []
        const stored = yield* (yield* Alerts).list({ state, limit: limitOf(query), cursor: query.cursor ?? null }).pipe(
          Effect.timeoutOption(storePatienceMs),
          Effect.catchCause(() => Effect.succeed({ _tag: "None" as const }))
        )
        if (stored._tag === "None") {
          if (state !== "open" || query.cursor !== undefined) return yield* noStore
          return { open: shown.length, alerts: shown.slice(0, limitOf(query)) }
        }
        if (stored.value === null) return yield* unknownCursor
        return { open: shown.length, alerts: stored.value.records.map(alertView), ...nextCursorOf(stored.value.next) }
      }),
      acknowledge: Effect.fnUntraced(function* ({ params, payload, query }) {
        const { name } = yield* CurrentOperator
        const alert = yield* send(desk.AcknowledgeAlert({ id: params.id, actor: name, reason: payload.reason ?? null }))
        return isDry(query) ? previewAnswer({ alert }, 200) : { alert }
      })
    })
  })
)
