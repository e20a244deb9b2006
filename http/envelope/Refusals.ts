import { SchemaIssue } from "effect"
import type { HttpApiError } from "effect/http-api"
import { problemErrorsMax } from "../../engine/rules/http/limits.ts"
import { InvalidField, InvalidJson, MissingFields } from "../../schema/Problems.ts"
import type { ProblemPart } from "../../schema/Problem.ts"
import { missing } from "../api/Inputs.ts"

const prefixes: Record<HttpApiError.HttpApiSchemaError["kind"], string> = {
  Payload: "",
  Query: "/query",
  Params: "/path",
  Headers: "/headers",
  Body: "",
  ResponseHeaders: ""
}

const escaped = (key: PropertyKey): string => String(key).replaceAll("~", "~0").replaceAll("/", "~1")

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const say = (issue: SchemaIssue.Issue): string => format(issue).issues[0]?.message ?? "is not usable"

/** Every fault under an issue with its JSON Pointer, one after the other. */
function* partsOf(issue: SchemaIssue.Issue, pointer: string): Generator<ProblemPart> {
  switch (issue._tag) {
    case "Composite":
      for (const inner of issue.issues) yield* partsOf(inner, pointer)
      return
    case "Pointer":
      return yield* partsOf(issue.issue, `${pointer}${issue.path.map((key) => `/${escaped(key)}`).join("")}`)
    case "MissingKey":
      return yield { pointer, code: "MISSING_FIELDS", detail: "is required" }
    case "Encoding":
      return yield* partsOf(issue.issue, pointer)
    // The library treats every payload as a union; only the fault of the one candidate matters.
    case "AnyOf":
      if (issue.issues.length === 0 || (pointer !== "" && issue.issues.length > 1))
        return yield { pointer, code: "INVALID_FIELD", detail: say(issue) }
      for (const inner of issue.issues) yield* partsOf(inner, pointer)
      return
    case "Filter": {
      const detail = say(issue)
      return yield detail.includes(missing) && detail.length <= missing.length + 2
        ? { pointer, code: "MISSING_FIELDS", detail: "is required and must not be empty" }
        : { pointer, code: "INVALID_FIELD", detail }
    }
    default:
      return yield { pointer, code: "INVALID_FIELD", detail: say(issue) }
  }
}

/** Limits a list to the size of a refusal. */
interface Found {
  readonly parts: Array<ProblemPart>
  isMore: boolean
}

const named = ({ isMore, parts }: Found): string =>
  [
    ...parts.map(({ detail, pointer }) => `${pointer === "" ? "/" : pointer}: ${detail}`),
    ...(isMore ? ["and more"] : [])
  ].join("; ")

/** A problem with as many faults as fit. Missing fields come first, because they are quickest to add. */
const refusal = (parts: Iterable<ProblemPart>, isPayload: boolean): InvalidJson | MissingFields | InvalidField => {
  const [absent, wrong]: readonly [Found, Found] = [
    { parts: [], isMore: false },
    { parts: [], isMore: false }
  ]
  let isWhole = true
  for (const part of parts) {
    isWhole = isWhole && part.pointer === ""
    const found = part.code === "MISSING_FIELDS" ? absent : wrong
    if (found.parts.length < problemErrorsMax) found.parts.push(part)
    else found.isMore = true
    if (absent.isMore) break
  }
  if (isPayload && isWhole) return new InvalidJson({ detail: "Send a JSON object with content-type application/json." })
  return absent.parts.length > 0
    ? new MissingFields({ detail: named(absent), errors: absent.parts })
    : new InvalidField({ detail: named(wrong), errors: wrong.parts })
}

/** The problem for an undecodable request. */
export const refusalOf = (error: HttpApiError.HttpApiSchemaError): InvalidJson | MissingFields | InvalidField =>
  refusal(partsOf(error.cause.issue, prefixes[error.kind]), error.kind === "Payload")

/** The problem for a body with overlong arrays; `issue` covers the rest of it. */
export const overlongRefusalOf = (
  overlong: ReadonlyArray<ProblemPart>,
  issue: SchemaIssue.Issue | null
): InvalidJson | MissingFields | InvalidField => {
  const pointers = new Set(overlong.map(({ pointer }) => pointer))
  const all = function* (): Generator<ProblemPart> {
    yield* overlong
    if (issue !== null) for (const part of partsOf(issue, "")) if (!pointers.has(part.pointer)) yield part
  }
  return refusal(all(), false)
}
