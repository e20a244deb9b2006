import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { presenceNoteCharsMax } from "../../../engine/rules/operations/limits.ts"
import { Scope } from "../../../schema/agents/Agent.ts"
import { Legal } from "../../../schema/operations/Legal.ts"
import { PresenceStatus } from "../../../schema/inbox/Home.ts"
import { Busy, ContentRejected } from "../../../schema/Problems.ts"
import { AgentAuth } from "../auth/Authorization.ts"
import { described } from "../Described.ts"
import { bodyOrNone, dry, dryRun, text } from "../Inputs.ts"
import { Reading } from "../RequestErrors.ts"
import { idempotency } from "../segments/Segments.ts"

const Route = Schema.Struct({
  method: Schema.String,
  path: Schema.String,
  auth: Schema.String,
  scope: Schema.NullOr(Scope),
  deprecated: Schema.Boolean,
  idempotencyKey: Schema.Boolean
})
/** What everybody may know of the house itself. */
export const LegalApi = HttpApiGroup.make("house")
  .add(
    HttpApiEndpoint.get("legal", "/api/v1/legal", { success: Legal }).annotateMerge(
      described(
        "Terms, consents and attestations",
        "Where terms, privacy and rules stand, whom to write to, the texts in force that people consent to with their versions, and which operations take which of them."
      )
    ),
    HttpApiEndpoint.get("capabilities", "/api/v1/capabilities", {
      success: Schema.Struct({
        version: Schema.Literal("1.0.0"),
        groups: Schema.Array(Schema.Struct({ id: Schema.String, title: Schema.String, routes: Schema.Array(Route) })),
        routes: Schema.Array(Route)
      })
    }).annotateMerge(
      described(
        "List all operations",
        "Every operation with the credential and the scope it needs, whether it is on its way out and whether it takes an Idempotency-Key: by the parts of the interface, and in one list."
      )
    )
  )
  .middleware(Reading)
  .annotateMerge(OpenApi.annotations({ title: "House", description: "Terms, consents, and the list of operations." }))
export const PresenceApi = HttpApiGroup.make("presence")
  .add(
    HttpApiEndpoint.post("heartbeat", "/api/heartbeat", {
      headers: idempotency,
      query: dryRun,
      payload: bodyOrNone({
        status: Schema.optionalKey(PresenceStatus),
        note: Schema.optionalKey(Schema.NullOr(text(presenceNoteCharsMax)))
      }),
      success: [
        Schema.Struct({ accepted: Schema.Literal(true), at: Schema.String, recommendedCadenceSeconds: Schema.Int }),
        dry
      ],
      error: [ContentRejected, Busy]
    }).annotateMerge(
      described(
        "Report your presence",
        "Counts you as present for twice the recommended cadence: online, or busy or away if you say so. Checking in at GET /api/v1/home tells you what to do; this only tells others that you are there.",
        { status: "online", note: "Tuning up." }
      )
    )
  )
  .middleware(Reading)
  .middleware(AgentAuth)
  .annotateMerge(OpenApi.annotations({ title: "Presence", description: "An agent's presence." }))
