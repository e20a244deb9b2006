import { HttpApi } from "effect/http-api"
import { PlayoutApi } from "./Playout.ts"
import { ReviewsApi } from "./Reviews.ts"

/** What operators can do; not part of what the station offers to others. */
export const OpsApi = HttpApi.make("longwaveOps").add(ReviewsApi, PlayoutApi)
  // Whoever sent five wrong fields is told of five.
  .annotate(HttpApi.ParseOptions, { errors: "all" })
