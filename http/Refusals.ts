import { SchemaIssue } from "effect"
import type { HttpApiError } from "effect/http-api"
import { InvalidField, InvalidJson, MissingFields } from "../schema/Problems.ts"
import type { ProblemPart } from "../schema/Problem.ts"
import { missing } from "./api/Inputs.ts"

const prefixes: Record<HttpApiError.HttpApiSchemaError["kind"], string> = {
  Payload: "", Query: "/query", Params: "/path", Headers: "/headers", Body: "", ResponseHeaders: ""
}

const escaped = (key: PropertyKey): string => String(key).replaceAll("~", "~0").replaceAll("/", "~1")

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const say = (issue: SchemaIssue.Issue): string => format(issue).issues[0]?.message ?? "is not usable"

/** Every wrong value under an issue, each with its JSON Pointer. */
const partsOf = (issue: SchemaIssue.Issue, pointer: string): ReadonlyArray<ProblemPart> => {
  switch (issue._tag) {
    case "Composite":
      return issue.issues.flatMap((inner) => partsOf(inner, pointer))
    case "Pointer":
      return partsOf(issue.issue, `${pointer}${issue.path.map((key) => `/${escaped(key)}`).join("")}`)
    case "MissingKey":
      return [{ pointer, code: "MISSING_FIELDS", detail: "is required" }]
    case "Encoding":
      return partsOf(issue.issue, pointer)
    // The library holds every payload for one of several; what is wrong with the one there is, is what is wrong.
    case "AnyOf":
      return issue.issues.length === 0 || (pointer !== "" && issue.issues.length > 1)
        ? [{ pointer, code: "INVALID_FIELD", detail: say(issue) }]
        : issue.issues.flatMap((inner) => partsOf(inner, pointer))
    case "Filter": {
      const detail = say(issue)
      return [detail.includes(missing) && detail.length <= missing.length + 2
        ? { pointer, code: "MISSING_FIELDS", detail: "is required and must not be empty" }
        : { pointer, code: "INVALID_FIELD", detail }]
    }
    default:
      return [{ pointer, code: "INVALID_FIELD", detail: say(issue) }]
  }
}

const named = (parts: ReadonlyArray<ProblemPart>): string => parts.map(({ detail, pointer }) => `${pointer === "" ? "/" : pointer}: ${detail}`).join("; ")

/** What was wrong with a request, as a problem that names all of it. Absent fields come first: they are quickest to add. */
export const refusalOf = (error: HttpApiError.HttpApiSchemaError): InvalidJson | MissingFields | InvalidField => {
  const parts = partsOf(error.cause.issue, prefixes[error.kind])
  if (error.kind === "Payload" && parts.every(({ pointer }) => pointer === "")) return new InvalidJson({ detail: "Send a JSON object with content-type application/json." })
  const absent = parts.filter(({ code }) => code === "MISSING_FIELDS")
  return absent.length > 0
    ? new MissingFields({ detail: named(absent), errors: absent })
    : new InvalidField({ detail: named(parts), errors: parts })
}
