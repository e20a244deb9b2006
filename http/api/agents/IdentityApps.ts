import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { appAudiencesMax, appNameCharsMax, audienceCharsMax } from "../../../engine/rules/agents/limits.ts"
import { reasonCharsMax } from "../../../engine/rules/operations/limits.ts"
import { AppKeyView } from "../../../schema/operations/IdentityApp.ts"
import { Busy, InvalidField, NotFound, OperatorConflict } from "../../../schema/Problems.ts"
import { OperatorAuth, RequiredRole } from "../auth/Authorization.ts"
import { describe } from "../Described.ts"
import { OnRepeat } from "../Idempotent.ts"
import { anyText, bodyOrNone, dry, dryRun, requiredText, text } from "../Inputs.ts"
import { Reading } from "../RequestErrors.ts"
import { reason } from "../OperatorReason.ts"
import { idempotency } from "../segments/Segments.ts"

const params = { id: anyText }
const shown = [Schema.Struct({ appKey: AppKeyView, secret: Schema.String }), dry] as const

/** Outside programs that may verify identity tokens. */
export const IdentityAppsApi = HttpApiGroup.make("appKeys")
  .add(
    HttpApiEndpoint.get("list", "/api/ops/app-keys", { success: Schema.Struct({ appKeys: Schema.Array(AppKeyView) }) })
      .annotate(RequiredRole, "admin")
      .annotateMerge(
        describe("List the app keys", "Active and revoked keys with their audiences; never their secrets.")
      ),
    HttpApiEndpoint.post("make", "/api/ops/app-keys", {
      headers: idempotency,
      query: dryRun,
      payload: Schema.Struct({
        name: requiredText(appNameCharsMax),
        audiences: Schema.Array(requiredText(audienceCharsMax)).check(Schema.isMaxLength(appAudiencesMax)),
        reason
      }),
      success: shown,
      error: [InvalidField, OperatorConflict, Busy]
    })
      .annotate(RequiredRole, "admin")
      .annotateMerge(
        describe(
          "Make an app key",
          "For an outside program that verifies agents' identities. audiences are the https origins it may verify tokens for; it may always verify tokens for the key's own id. The secret is shown once.",
          { name: "Tide service", audiences: ["https://tides.example"] }
        )
      )
      .annotate(OnRepeat, "secret"),
    HttpApiEndpoint.post("rotate", "/api/ops/app-keys/:id/rotate", {
      params,
      headers: idempotency,
      query: dryRun,
      payload: bodyOrNone({ reason }),
      success: shown,
      error: [NotFound, Busy]
    })
      .annotate(RequiredRole, "admin")
      .annotateMerge(describe("Change an app key", "Returns a new secret, once; the old one ends at once."))
      .annotate(OnRepeat, "secret"),
    HttpApiEndpoint.delete("revoke", "/api/ops/app-keys/:id", {
      params,
      headers: idempotency,
      query: { ...dryRun, reason: Schema.optionalKey(text(reasonCharsMax)) },
      success: [Schema.Struct({ appKey: AppKeyView }), dry],
      error: [NotFound, Busy]
    })
      .annotate(RequiredRole, "admin")
      .annotateMerge(describe("Revoke an app key", "Ends a key at once. The program can get a new one."))
  )
  .middleware(Reading)
  .middleware(OperatorAuth)
  .annotateMerge(
    OpenApi.annotations({
      title: "App keys",
      description: "Keys of outside programs that verify identity tokens."
    })
  )
