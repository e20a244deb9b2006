import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { OperatorDesk } from "../../../actors/operations/protocol/Operators.ts"
import { jobView } from "../../../engine/rules/operations/Job.ts"
import { Jobs } from "../../../engine/store/sql/Jobs.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import { CurrentOperator } from "../../api/auth/Authorization.ts"
import { OpsApi } from "../../api/OpsApi.ts"
import { limitOf } from "../../api/segments/Segments.ts"
import { send } from "../../Send.ts"
import { nextCursorOf, unknownCursor } from "../Commands.ts"

export const JobsHandlers = HttpApiBuilder.group(
  OpsApi,
  "jobs",
  Effect.fnUntraced(function* (handlers) {
    const desk = (yield* OperatorDesk.client)((yield* StationFacts).slug)
    const askOf = Effect.fnUntraced(function* (id: string, reason: string | null | undefined) {
      return { id, actor: (yield* CurrentOperator).name, reason: reason ?? null }
    })
    return handlers.handleAll({
      jobs: Effect.fnUntraced(function* ({ query }) {
        const jobs = yield* Jobs
        const nowMs = yield* Clock.currentTimeMillis
        const page = yield* jobs.list({
          state: query.state ?? null,
          kind: query.kind ?? null,
          limit: limitOf(query),
          cursor: query.cursor ?? null
        })
        if (page === null) return yield* unknownCursor
        return {
          counts: yield* jobs.count(nowMs),
          jobs: page.records.map((job) => jobView(job, nowMs)),
          ...nextCursorOf(page.next)
        }
      }),
      retryJob: Effect.fnUntraced(function* ({ params, payload }) {
        return { job: yield* send(desk.RetryJob(yield* askOf(params.id, payload.reason))) }
      }),
      cancelJob: Effect.fnUntraced(function* ({ params, payload }) {
        return { job: yield* send(desk.CancelJob(yield* askOf(params.id, payload.reason))) }
      })
    })
  })
)
