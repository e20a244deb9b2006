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
        "The house's own programme at a first start (done of total pieces), a backup and a simulation (percent). Empty when nothing is."
      )
    )
  )
  .middleware(Reading)
  .middleware(OperatorAuth)
  .annotateMerge(OpenApi.annotations({ title: "Progress", description: "What takes long, and how far it is." }))
