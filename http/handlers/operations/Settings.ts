import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { OperatorDesk } from "../../../actors/operations/protocol/Operators.ts"
import { Settings } from "../../../engine/store/operations/Settings.ts"
import { ConfigurationFacts } from "../../../engine/store/operations/ConfigurationFacts.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import type { SetupLine } from "../../../schema/operations/Settings.ts"
import { CurrentOperator } from "../../api/auth/Authorization.ts"
import { isDry } from "../../api/Inputs.ts"
import { OpsApi } from "../../api/OpsApi.ts"
import { send } from "../../Send.ts"
import { previewAnswer } from "../Commands.ts"
import { readSeenVersion, withVersion } from "../IfMatch.ts"

const setupAnswer = (setup: ReadonlyArray<SetupLine>) => ({
  setup,
  needsRestart: setup.some(
    ({ isFixed, isSet, isWritten, value, written }) =>
      !isFixed && isWritten && (written === null ? !isSet : written !== value)
  )
})

export const SettingsHandlers = HttpApiBuilder.group(
  OpsApi,
  "settings",
  Effect.fnUntraced(function* (handlers) {
    const desk = (yield* OperatorDesk.client)((yield* StationFacts).slug)
    const readAct = Effect.fnUntraced(function* (
      headers: { readonly "if-match"?: string },
      reason: string | null | undefined
    ) {
      return { actor: (yield* CurrentOperator).name, reason: reason ?? null, seen: yield* readSeenVersion(headers) }
    })
    return handlers.handleAll({
      read: Effect.fnUntraced(function* () {
        const settings = yield* Settings
        const changed = Object.entries(yield* settings.changed).flatMap(([name, value]) =>
          value === null ? [] : [name]
        )
        const configuration = (yield* ConfigurationFacts).lines(new Set(changed))
        return yield* withVersion(
          { settings: yield* settings.current, defaults: settings.configured, configuration },
          yield* settings.version
        )
      }),
      change: Effect.fnUntraced(function* ({ headers, payload: { reason, ...patch }, query }) {
        const { settings, version } = yield* send(desk.ChangeSettings({ patch, ...(yield* readAct(headers, reason)) }))
        return isDry(query) ? previewAnswer({ settings }, 200) : yield* withVersion({ settings }, version)
      }),
      setup: Effect.fnUntraced(function* () {
        return setupAnswer((yield* ConfigurationFacts).setup())
      }),
      changeSetup: Effect.fnUntraced(function* ({ payload: { reason, ...patch }, query }) {
        const actor = (yield* CurrentOperator).name
        const lines = yield* send(desk.ChangeSetup({ patch, actor, reason: reason ?? null }))
        return isDry(query) ? previewAnswer(setupAnswer(lines), 200) : setupAnswer(lines)
      }),
      rotation: Effect.fnUntraced(function* () {
        const settings = yield* Settings
        return yield* withVersion({ rotation: yield* settings.rotation }, yield* settings.rotationVersion)
      }),
      turn: Effect.fnUntraced(function* ({ headers, payload: { reason, ...rotation }, query }) {
        const done = yield* send(desk.ChangeRotation({ rotation, ...(yield* readAct(headers, reason)) }))
        return isDry(query)
          ? previewAnswer({ rotation: done.rotation }, 200)
          : yield* withVersion({ rotation: done.rotation }, done.version)
      })
    })
  })
)
