import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { PlanAsRun } from "../../schema/PlanReceipts.ts"
import { DjShowPlanNotFound } from "../../schema/Problems.ts"
import { additive } from "./Additive.ts"
import { AgentAuth, RequiredScope } from "./Authorization.ts"
import { described } from "./Described.ts"
import { Reading } from "./Reading.ts"

/** What became of a plan, for whom it belongs to. */
export const PlanReceiptsApi = HttpApiGroup.make("planReceipts").add(
  HttpApiEndpoint.get("asRun", "/api/v1/agents/me/shows/plans/:id/as-run", { params: { id: Schema.String }, success: PlanAsRun, error: [DjShowPlanNotFound] })
    .annotate(RequiredScope, "dj_sets").annotateMerge(described("See what became of a plan", "Every item with when it was to begin, when it was heard, whether to its end, and the row of the broadcast's log that says so; where it wasn't heard, why. Times to come are known from half an hour before the start.")).annotateMerge(additive)
).middleware(Reading).middleware(AgentAuth)
  .annotateMerge(OpenApi.annotations({ title: "Plans on the air", description: "A plan and its as-run, side by side." }))
