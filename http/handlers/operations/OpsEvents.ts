import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import { opsStreamCheckSec } from "../../../engine/rules/operations/limits.ts"
import { operatorRank, OperatorRole } from "../../../schema/operations/Operator.ts"
import { Busy } from "../../../schema/Problems.ts"
import { CurrentOperator } from "../../api/auth/Authorization.ts"
import { OpsApi } from "../../api/OpsApi.ts"
import { eventStream } from "../../stream/events/EventStream.ts"

const starting = new Busy({ detail: "The station has just started. Ask again in a second.", retryAfterSec: 1 })

/** Ends when the operator is signed out, revoked or has another role: the client begins again with what it is allowed then. */
export const whileCurrent = Effect.map(CurrentOperator, ({ isCurrent }) =>
  Effect.asVoid(Effect.repeat(Effect.delay(isCurrent, `${opsStreamCheckSec} seconds`), { while: (holds) => holds }))
)

/** The roles whose events a role may read. */
const rolesBelow = (role: OperatorRole): ReadonlyArray<OperatorRole> =>
  OperatorRole.literals.filter((each) => operatorRank[each] <= operatorRank[role])

export const OpsEventsHandlers = HttpApiBuilder.group(OpsApi, "opsEvents", (handlers) =>
  Effect.succeed(
    handlers.handleAll({
      follow: Effect.fnUntraced(function* ({ query }) {
        const { role } = yield* CurrentOperator
        if ((yield* (yield* EventBus).get("opsBoard")) === null) return yield* starting
        return yield* eventStream("ops", query.lastEventId, role, {
          audiences: rolesBelow(role),
          until: yield* whileCurrent
        })
      })
    })
  )
)
