import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Alert } from "../../../schema/operations/Alert.ts"
import { Busy, InvalidField, NotFound } from "../../../schema/Problems.ts"
import { OperatorAuth, RequiredRole } from "../auth/Authorization.ts"
import { describe } from "../Described.ts"
import { anyText, bodyOrNone, dry, dryRun, idText } from "../Inputs.ts"
import { reason } from "../OperatorReason.ts"
import { Reading } from "../RequestErrors.ts"
import { idempotency, limit } from "../segments/Segments.ts"

/** What operators have to know. */
export const AlertsApi = HttpApiGroup.make("alerts")
  .add(
    HttpApiEndpoint.get("list", "/api/ops/alerts", {
      query: {
        state: Schema.optionalKey(Schema.Literals(["open", "closed", "all"])),
        limit,
        cursor: Schema.optionalKey(idText)
      },
      success: Schema.Struct({
        open: Schema.Int,
        alerts: Schema.Array(Alert),
        nextCursor: Schema.optionalKey(Schema.String)
      }),
      error: [InvalidField, Busy]
    }).annotateMerge(
      describe(
        "List alerts",
        "Open alerts by default, newest first: silence, fallback (nothing planned can be played), emergency, encoder, disk, store, speech, reviews (overdue), webhooks (failing), watchdog (one acted in vain and stopped), and notice for single events, such as a sound that could not be played. Each is raised once and closes itself half a minute after its cause is gone, a notice after an hour without another. The first page of open alerts is answered also while the store doesn't answer. ALERT_MAIL and ALERT_WEBHOOK_URL send them."
      )
    ),
    HttpApiEndpoint.post("acknowledge", "/api/ops/alerts/:id/acknowledge", {
      params: { id: anyText },
      headers: idempotency,
      query: dryRun,
      payload: bodyOrNone({ reason }),
      success: [Schema.Struct({ alert: Alert }), dry],
      error: [NotFound, Busy]
    })
      .annotate(RequiredRole, "reviewer")
      .annotateMerge(
        describe(
          "Acknowledge an alert",
          "Says that a person takes care of it, with a note for the others in reason. The alert stays open until its cause is gone. The first acknowledgement counts; a repeat changes nothing.",
          { reason: "The encoder's host is being replaced." }
        )
      )
  )
  .middleware(Reading)
  .middleware(OperatorAuth)
  .annotateMerge(OpenApi.annotations({ title: "Alerts", description: "What is wrong, and who takes care of it." }))
