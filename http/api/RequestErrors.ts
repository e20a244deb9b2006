import { Context } from "effect"
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
 * Decodes the body, reports all its faults at once, and runs a command once per Idempotency-Key. A group adds its guard
 * after this, so that the guard runs first. It also declares the errors common to all operations: limits, idempotency,
 * size and type of the body.
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

/** The code of a field that is absent, for rows of the contract that have no MISSING_FIELDS. */
export const AbsentField = Context.Reference<"MISSING_FIELDS" | "INVALID_FIELD">("longwave/http/api/AbsentField", {
  defaultValue: () => "MISSING_FIELDS"
})
