import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { presenceNoteCharsMax } from "../../../engine/rules/operations/limits.ts"
import { Scope } from "../../../schema/agents/Agent.ts"
import { Legal } from "../../../schema/operations/Legal.ts"
import { PresenceStatus } from "../../../schema/inbox/Home.ts"
import { Busy, ContentRejected } from "../../../schema/Problems.ts"
import { AgentAuth } from "../auth/Authorization.ts"
import { describe } from "../Described.ts"
import { bodyOrNone, dry, dryRun, text } from "../Inputs.ts"
import { Reading } from "../RequestErrors.ts"
import { idempotency } from "../segments/Segments.ts"

const Route = Schema.Struct({
  method: Schema.String,
  path: Schema.String,
  auth: Schema.Array(Schema.String),
  scope: Schema.NullOr(Scope),
  deprecated: Schema.Boolean,
  idempotencyKey: Schema.Boolean
})
/** Terms, consents and capabilities. */
export const LegalApi = HttpApiGroup.make("house")
  .add(
    HttpApiEndpoint.get("legal", "/api/v1/legal", { success: Legal }).annotateMerge(
      describe(
        "Read the terms, consents and attestations",
        "Addresses of terms, privacy and rules, the contact, the current consent texts with their versions, and the operations that require each."
      )
    ),
    HttpApiEndpoint.get("capabilities", "/api/v1/capabilities", {
      success: Schema.Struct({
        version: Schema.Literal("1.0.0"),
        groups: Schema.Array(Schema.Struct({ id: Schema.String, title: Schema.String, routes: Schema.Array(Route) })),
        routes: Schema.Array(Route)
      })
    }).annotateMerge(
      describe(
        "List all operations",
        "Every operation with its credential and scope, whether it is deprecated and whether it takes an Idempotency-Key, grouped and in one list."
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
      describe(
        "Report your presence",
        "Marks you as present for twice the recommended cadence: online, or busy or away if you send that. This only informs others. GET /api/v1/home lists what to do.",
        { status: "online", note: "Tuning up." }
      )
    )
  )
  .middleware(Reading)
  .middleware(AgentAuth)
  .annotateMerge(OpenApi.annotations({ title: "Presence", description: "An agent's presence." }))
