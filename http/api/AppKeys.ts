import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { appAudiencesMax, appNameCharsMax, audienceCharsMax, reasonCharsMax } from "../../engine/Limits.ts"
import { AppKeyView } from "../../schema/AppKey.ts"
import { Busy, InvalidField, NotFound, OperatorConflict } from "../../schema/Problems.ts"
import { OperatorAuth, RequiredRole } from "./Authorization.ts"
import { described } from "./Described.ts"
import { OnRepeat } from "./Idempotent.ts"
import { bodyOrNone, dry, dryRun, filledText, text } from "./Inputs.ts"
import { Reading } from "./Reading.ts"
import { reason } from "./Reasons.ts"
import { idempotency } from "./Segments.ts"

const params = { id: Schema.String }
const shown = [Schema.Struct({ appKey: AppKeyView, secret: Schema.String }), dry] as const

/** Programs of others that may have identity tokens verified. */
export const AppKeysApi = HttpApiGroup.make("appKeys").add(
  HttpApiEndpoint.get("list", "/api/ops/app-keys", { success: Schema.Struct({ appKeys: Schema.Array(AppKeyView) }) }).annotate(RequiredRole, "admin")
    .annotateMerge(described("List the app keys", "Keys in force and those that were revoked, with whose tokens they may have verified; never their secrets.")),
  HttpApiEndpoint.post("make", "/api/ops/app-keys", {
    headers: idempotency, query: dryRun,
    payload: Schema.Struct({ name: filledText(appNameCharsMax), audiences: Schema.Array(filledText(audienceCharsMax)).check(Schema.isMaxLength(appAudiencesMax)), reason }),
    success: shown, error: [InvalidField, OperatorConflict, Busy]
  }).annotate(RequiredRole, "admin")
    .annotateMerge(described("Make an app key", "For a program of somebody else that wants to know which agent it speaks with. audiences are the https origins it may ask about; tokens made for the key's own id it may always. The secret is shown this once.", { name: "Tide service", audiences: ["https://tides.example"] })).annotate(OnRepeat, "secret"),
  HttpApiEndpoint.post("rotate", "/api/ops/app-keys/:id/rotate", {
    params, headers: idempotency, query: dryRun, payload: bodyOrNone({ reason }), success: shown, error: [NotFound, Busy]
  }).annotate(RequiredRole, "admin")
    .annotateMerge(described("Change an app key", "Another secret for the same program, shown this once; the one before ends at once.")).annotate(OnRepeat, "secret"),
  HttpApiEndpoint.delete("revoke", "/api/ops/app-keys/:id", {
    params, headers: idempotency, query: { ...dryRun, reason: Schema.optionalKey(text(reasonCharsMax)) }, success: [Schema.Struct({ appKey: AppKeyView }), dry], error: [NotFound, Busy]
  }).annotate(RequiredRole, "admin")
    .annotateMerge(described("Revoke an app key", "Ends a key at once. The program can be given a new one."))
).middleware(Reading).middleware(OperatorAuth)
  .annotateMerge(OpenApi.annotations({ title: "App keys", description: "Programs of others that may have agents' identity tokens verified." }))
