import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { LoggedLevel, LogLine } from "../../../schema/operations/Log.ts"
import { Busy } from "../../../schema/Problems.ts"
import { OperatorAuth, RequiredRole } from "../auth/Authorization.ts"
import { describe } from "../Described.ts"
import { anyText, text } from "../Inputs.ts"
import { Reading } from "../RequestErrors.ts"
import { limit } from "../segments/Segments.ts"

/** The station's log. */
export const LogsApi = HttpApiGroup.make("logs")
  .add(
    HttpApiEndpoint.get("lines", "/api/ops/logs", {
      query: { level: Schema.optionalKey(LoggedLevel), q: Schema.optionalKey(text(100)), limit },
      success: Schema.Struct({ lines: Schema.Array(LogLine) })
    })
      .annotate(RequiredRole, "admin")
      .annotateMerge(
        describe(
          "Read the log",
          "The latest lines of this process, newest first, at this level or above (default Info); q searches them. The last thousand lines of an hour are kept, each shortened to 2,000 characters; the whole log is in the output of the process."
        )
      ),
    HttpApiEndpoint.get("follow", "/api/ops/logs/events", {
      query: { level: Schema.optionalKey(LoggedLevel), lastEventId: Schema.optionalKey(anyText) },
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/event-stream" })),
      error: [Busy]
    })
      .annotate(RequiredRole, "admin")
      .annotateMerge(
        describe(
          "Stream the log",
          "Server-sent events: line for each line at this level or above (default Info), as in GET /api/ops/logs; heartbeat each 15 s. Last-Event-ID or lastEventId resumes a broken connection. A reader more than 256 KiB behind is disconnected."
        )
      )
  )
  .middleware(Reading)
  .middleware(OperatorAuth)
  .annotateMerge(OpenApi.annotations({ title: "Log", description: "Lines of the log, and the log as it is written." }))
