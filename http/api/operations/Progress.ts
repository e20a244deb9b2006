import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Progress } from "../../../schema/operations/Progress.ts"
import { OperatorAuth } from "../auth/Authorization.ts"
import { describe } from "../Described.ts"
import { Reading } from "../RequestErrors.ts"

/** What takes long, and how far it is. */
export const ProgressApi = HttpApiGroup.make("progress")
  .add(
    HttpApiEndpoint.get("progress", "/api/ops/progress", {
      success: Schema.Struct({ progress: Schema.Array(Progress) })
    }).annotateMerge(
      describe(
        "Read what is under way",
        "The house's own programme at a first start (done of total pieces); in percent: a backup, a simulation, each file on its way into the library (import), and checks of the as-run log and of a backup. Empty when nothing is."
      )
    )
  )
  .middleware(Reading)
  .middleware(OperatorAuth)
  .annotateMerge(OpenApi.annotations({ title: "Progress", description: "What takes long, and how far it is." }))
