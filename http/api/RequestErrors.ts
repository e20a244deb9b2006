import { HttpApiMiddleware } from "effect/http-api"
import {
  Busy,
  IdempotencyKeyConflict,
  IdempotencyKeyInProgress,
  InternalError,
  InvalidField,
  InvalidJson,
  MissingFields,
  PayloadTooLarge,
  RateLimited,
  RequestTimeout,
  UnsupportedMediaType
} from "../../schema/Problems.ts"

/**
 * Reads the body, names everything that is wrong with it at once, and carries out a command once under its Idempotency-Key.
 * A group adds its guard after it, so that both happen only after the guard has let the caller in. It also declares what
 * any operation may answer: limits, idempotency, the body's size and kind.
 */
export class Reading extends HttpApiMiddleware.Service<Reading>()("longwave/http/api/Reading", {
  error: [
    InvalidJson,
    MissingFields,
    InvalidField,
    IdempotencyKeyConflict,
    IdempotencyKeyInProgress,
    RequestTimeout,
    PayloadTooLarge,
    UnsupportedMediaType,
    RateLimited,
    InternalError,
    Busy
  ]
}) {}
