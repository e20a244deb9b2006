import { Clock, Effect } from "effect"
import { alertView } from "../../engine/rules/operations/Alerts.ts"
import { AlertsWriter } from "../../engine/store/operations/Alerts.ts"
import { NotFound } from "../../schema/Problems.ts"
import { type Act, record } from "../runtime/audit.ts"
import { command } from "../runtime/Command.ts"
import { EventBus } from "../runtime/EventBus.ts"

/** Operators' handlers for alerts. */
export const alertControl = {
  AcknowledgeAlert: Effect.fnUntraced(function* ({
    payload: { actor, id, reason }
  }: {
    readonly payload: Act & { readonly id: string }
  }) {
    const alerts = yield* AlertsWriter
    const bus = yield* EventBus
    return yield* command({
      run: Effect.gen(function* () {
        const before = yield* alerts.find(id)
        const alert =
          before === null ? null : yield* alerts.acknowledge(id, actor, reason, yield* Clock.currentTimeMillis)
        if (before === null || alert === null) return yield* new NotFound({ detail: `There is no alert ${id}.` })
        if (before.acknowledgedAtMs === null)
          yield* record(
            { actor, reason },
            "alert.acknowledge",
            { type: "alert", id },
            { kind: before.kind, detail: before.detail },
            null
          )
        return alertView(alert)
      }),
      after: (alert) => Effect.as(bus.publish({ _tag: "AlertChanged", change: "acknowledged", alert }), alert)
    })
  })
}
