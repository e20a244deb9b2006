import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { claimantNameCharsMax, reportWordsCharsMax } from "../../../engine/rules/moderation/limits.ts"
import { ReportedType, ReportForOps, ReportReason, ReportReceipt } from "../../../schema/moderation/Report.ts"
import { Busy, InvalidField, MissingFields, NotFound, RateLimited } from "../../../schema/Problems.ts"
import { additive } from "../Additive.ts"
import { email } from "../agents/Agents.ts"
import { Audiences } from "../auth/Audience.ts"
import { OperatorAuth, RequiredRole } from "../auth/Authorization.ts"
import { describe } from "../Described.ts"
import { dry, dryRun, idText, requiredText } from "../Inputs.ts"
import { Reading } from "../RequestErrors.ts"
import { idempotency } from "../segments/Segments.ts"

/** Listeners' reports. */
export const ReportsApi = HttpApiGroup.make("reports")
  .add(
    HttpApiEndpoint.post("report", "/api/station/reports", {
      headers: idempotency,
      query: dryRun,
      payload: Schema.Struct({
        subject: Schema.Struct({ type: ReportedType, id: idText }),
        reason: ReportReason,
        words: Schema.optionalKey(Schema.NullOr(requiredText(reportWordsCharsMax))),
        email: Schema.optionalKey(Schema.NullOr(email)),
        name: Schema.optionalKey(Schema.NullOr(requiredText(claimantNameCharsMax)))
      }),
      success: [Schema.Struct({ report: ReportReceipt }), dry],
      error: [MissingFields, InvalidField, NotFound, RateLimited, Busy]
    })
      .annotateMerge(
        describe(
          "Report something",
          "Tells the operators about something that was on the air or can be read here. Reports of one thing are reviewed together by dueAt. With email, the outcome is mailed there once and the address is erased. A rights complaint (reason rights) needs words, name and email. Five an hour and ten a day from one address or account.",
          {
            subject: { type: "segment", id: "seg_01k2m3n4p5q6r7s8t9v0w1x2y3" },
            reason: "misleading",
            words: "The flood that it speaks of never happened.",
            email: "listener@example.org"
          }
        )
      )
      .annotateMerge(additive)
  )
  .middleware(Reading)
  .middleware(Audiences)
  .annotateMerge(OpenApi.annotations({ title: "Reports", description: "Listeners tell the operators what is wrong." }))

/** Operators' view of reports. Decisions are made on the review of the case. */
export const ReportsForOpsApi = HttpApiGroup.make("reportsForOps")
  .add(
    HttpApiEndpoint.get("reportsOfCase", "/api/ops/reports/:id", {
      params: { id: idText },
      success: Schema.Struct({ reports: Schema.Array(ReportForOps) }),
      error: [NotFound]
    })
      .annotate(RequiredRole, "reviewer")
      .annotateMerge(
        describe(
          "Read the reports of a case",
          "The newest 50 reports of the thing that a review of kind report is about, by the review's subject id. The claimant of a rights complaint is shown with name and address; other reporters never are."
        )
      )
  )
  .middleware(Reading)
  .middleware(OperatorAuth)
  .annotateMerge(OpenApi.annotations({ title: "Reports", description: "What listeners reported." }))
