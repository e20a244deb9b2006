import { HttpApiMiddleware } from "effect/http-api"
import { InvalidField, InvalidJson, MissingFields } from "../../schema/Problems.ts"

/** Says what is wrong with a request that could not be read, all of it at once. */
export class Reading extends HttpApiMiddleware.Service<Reading>()("longwave/http/api/Reading", {
  error: [InvalidJson, MissingFields, InvalidField]
}) {}
