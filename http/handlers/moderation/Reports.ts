import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Audience } from "../../../actors/listeners/protocol/Audience.ts"
import { reportsOfCaseMax } from "../../../engine/rules/moderation/limits.ts"
import { Reports } from "../../../engine/store/moderation/Reports.ts"
import { NotFound } from "../../../schema/Problems.ts"
import { iso } from "../../../schema/time/Instant.ts"
import { Api } from "../../api/Api.ts"
import { CurrentAudience } from "../../api/auth/Audience.ts"
import { ReportContacts } from "../../api/auth/ReportContacts.ts"
import { isDry } from "../../api/Inputs.ts"
import { OpsApi } from "../../api/OpsApi.ts"
import { send } from "../../Send.ts"
import { previewAnswer } from "../Commands.ts"

export const ReportsHandlers = HttpApiBuilder.group(
  Api,
  "reports",
  Effect.fnUntraced(function* (handlers) {
    const audience = yield* Audience.client
    return handlers.handle(
      "report",
      Effect.fnUntraced(function* ({ payload: { email = null, name = null, words = null, ...rest }, query }) {
        const who = yield* CurrentAudience
        const report = yield* send(audience(who.audience).Report({ draft: { ...rest, email, name, words } }))
        return isDry(query) ? previewAnswer({ report }, 200) : { report }
      })
    )
  })
)

export const ReportsForOpsHandlers = HttpApiBuilder.group(
  OpsApi,
  "reportsForOps",
  Effect.fnUntraced(function* (handlers) {
    const reports = yield* Reports
    const { claimantOf } = yield* ReportContacts
    return handlers.handle(
      "reportsOfCase",
      Effect.fnUntraced(function* ({ params: { id } }) {
        const found = yield* reports.listOfCase(id, reportsOfCaseMax)
        if (found.length === 0) return yield* new NotFound({ detail: `There is no case ${id} of reports.` })
        return {
          reports: found.map((report) => ({
            id: report.id,
            caseId: report.caseId,
            subject: { type: report.subjectType, id: report.subjectId, title: report.title },
            reason: report.reason,
            words: report.words,
            claimant: claimantOf(report),
            outcomeMailed: report.toldAtMs !== null,
            toldAt: report.toldAtMs === null ? null : iso(report.toldAtMs),
            createdAt: iso(report.createdAtMs)
          }))
        }
      })
    )
  })
)
