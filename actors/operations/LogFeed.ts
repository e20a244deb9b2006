import { Cause, Effect, Layer, Logger } from "effect"
import { logCauseCharsMax, logMessageCharsMax } from "../../engine/rules/operations/limits.ts"
import { iso } from "../../schema/time/Instant.ts"
import type { LoggedLevel, LogLine } from "../../schema/operations/Log.ts"
import { EventBus } from "../runtime/EventBus.ts"

const levels: Readonly<Record<string, LoggedLevel>> = {
  Fatal: "Error",
  Error: "Error",
  Warn: "Warn",
  Info: "Info",
  Debug: "Debug",
  Trace: "Debug"
}
const textOf = (part: unknown): string =>
  typeof part === "string" ? part : part instanceof Error ? part.message : (JSON.stringify(part) ?? String(part))

/** Keeps the latest lines of the log for operators, beside its usual output. Each line is for readers of its level. */
export const LogFeedLive = Layer.unwrap(
  Effect.map(EventBus, ({ logs }) =>
    Logger.layer(
      [
        Logger.make<unknown, void>(({ cause, date, logLevel, message }) => {
          const level = levels[logLevel]
          if (level === undefined) return
          const line: LogLine = {
            at: iso(date.getTime()),
            level,
            message: (Array.isArray(message) ? message : [message]).map(textOf).join(" ").slice(0, logMessageCharsMax),
            cause: cause.reasons.length === 0 ? null : Cause.pretty(cause).slice(0, logCauseCharsMax)
          }
          logs.lines.append("line", line, date.getTime(), level)
        })
      ],
      { mergeWithExisting: true }
    )
  )
)
