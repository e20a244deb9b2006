import { Schema } from "effect"
import { HttpApiError } from "effect/http-api"

/** One invalid value of a request: its location (a JSON Pointer), the fault, and the values that are taken if they are few. */
export const ProblemPart = Schema.Struct({
  pointer: Schema.String,
  code: Schema.String,
  detail: Schema.String,
  allowedValues: Schema.optionalKey(
    Schema.Array(Schema.Union([Schema.String, Schema.Finite, Schema.Boolean, Schema.Null]))
  )
})
export type ProblemPart = typeof ProblemPart.Type

/** One change since the version that the caller saw. `id` names the item, null when the change concerns all. */
export const Difference = Schema.Struct({
  id: Schema.NullOr(Schema.String),
  change: Schema.String,
  detail: Schema.String
})
export type Difference = typeof Difference.Type

/** The fault of a value that is none of the listed ones. */
export const notOneOf = (pointer: string, code: string, allowedValues: ReadonlyArray<string>): ProblemPart => ({
  pointer,
  code,
  detail: `must be one of ${allowedValues.join(", ")}`,
  allowedValues
})

const common = {
  errors: Schema.optionalKey(Schema.Array(ProblemPart)),
  nextStep: Schema.optionalKey(Schema.String),
  /** Sent as the Retry-After header. */
  retryAfterSec: Schema.optionalKey(Schema.Int)
}

/**
 * Declares the error with `code`: an RFC 9457 problem that is at once an error class, a wire format and an entry of the
 * API description. The server completes `type` to an absolute URL.
 */
export const problem =
  <Self>() =>
  <
    const Tag extends string,
    const Code extends string,
    const Status extends number,
    const Fields extends HttpApiError.ProblemExtensionFields = {}
  >(
    tag: Tag,
    status: Status,
    code: Code,
    title: string,
    fields?: Fields
  ) =>
    HttpApiError.Problem<Self>()(
      tag,
      { type: `/problems/${code.toLowerCase().replaceAll("_", "-")}`, status, title },
      { code: Schema.tag(code), ...common, ...(fields as Fields) }
    )
