import { HttpApiMiddleware } from "effect/http-api"
import {
  Busy, IdempotencyKeyConflict, IdempotencyKeyInProgress, InternalError, InvalidField, InvalidJson, MissingFields, PayloadTooLarge, RateLimited, UnsupportedMediaType
} from "../../schema/Problems.ts"

/**
 * Says what is wrong with a request that could not be read, all of it at once. It also declares what may be answered
 * anywhere, so that the description for machines hides nothing: limits, idempotency, the body's size and kind.
 */
export class Reading extends HttpApiMiddleware.Service<Reading>()("longwave/http/api/Reading", {
  error: [InvalidJson, MissingFields, InvalidField, IdempotencyKeyConflict, IdempotencyKeyInProgress, PayloadTooLarge, UnsupportedMediaType, RateLimited, InternalError, Busy]
}) {}
