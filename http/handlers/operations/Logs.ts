import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import { LoggedLevel, type LogLine } from "../../../schema/operations/Log.ts"
import { CurrentOperator } from "../../api/auth/Authorization.ts"
import { OpsApi } from "../../api/OpsApi.ts"
import { limitOf } from "../../api/segments/Segments.ts"
import { eventStream } from "../../stream/events/EventStream.ts"
import { whileCurrent } from "./OpsEvents.ts"

/** This level and the more serious ones. */
const from = (level: LoggedLevel): ReadonlyArray<LoggedLevel> =>
  LoggedLevel.literals.slice(LoggedLevel.literals.indexOf(level))

export const LogsHandlers = HttpApiBuilder.group(OpsApi, "logs", (handlers) =>
  Effect.succeed(
    handlers.handleAll({
      lines: Effect.fnUntraced(function* ({ query }) {
        const { logs } = yield* EventBus
        const levels = from(query.level ?? "Info")
        const sought = (query.q ?? "").toLowerCase()
        const lines = logs.lines.all
          .map(({ data }) => data as LogLine)
          .filter(
            ({ cause, level, message }) =>
              levels.includes(level) && `${message} ${cause ?? ""}`.toLowerCase().includes(sought)
          )
          .toReversed()
        return { lines: lines.slice(0, limitOf(query)) }
      }),
      follow: Effect.fnUntraced(function* ({ query }) {
        const { role } = yield* CurrentOperator
        return yield* eventStream("lines", query.lastEventId, role, {
          audiences: from(query.level ?? "Info"),
          until: yield* whileCurrent
        })
      })
    })
  )
)
