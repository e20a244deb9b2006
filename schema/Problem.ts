import { Schema } from "effect"
import { HttpApiError } from "effect/http-api"

/** One wrong value of a request: where it stands (a JSON Pointer) and what is wrong with it. */
export const ProblemPart = Schema.Struct({ pointer: Schema.String, code: Schema.String, detail: Schema.String })
export type ProblemPart = typeof ProblemPart.Type

const common = {
  errors: Schema.optionalKey(Schema.Array(ProblemPart)),
  nextStep: Schema.optionalKey(Schema.String),
  /** Becomes the header Retry-After. */
  retryAfterSec: Schema.optionalKey(Schema.Int)
}

/**
 * Declares the refusal that carries `code`: an RFC 9457 problem that is an error class, a wire format and a line of the
 * API's description in one. `type` is completed to an absolute address by the server, which knows its own.
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
