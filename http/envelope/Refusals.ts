import { SchemaAST, SchemaIssue } from "effect"
import type { HttpApiError } from "effect/http-api"
import { allowedValuesMax, problemErrorsMax } from "../../engine/rules/http/limits.ts"
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

const escapePointer = (key: PropertyKey): string => String(key).replaceAll("~", "~0").replaceAll("/", "~1")

const appendPath = (pointer: string, path: ReadonlyArray<PropertyKey>): string =>
  `${pointer}${path.map((key) => `/${escapePointer(key)}`).join("")}`

const format = SchemaIssue.makeFormatterStandardSchemaV1()

type Allowed = NonNullable<ProblemPart["allowedValues"]>

/** The values of a type that lists them; null for other types. */
const allowedValuesOf = (ast: SchemaAST.AST): Allowed | null => {
  const encoded = SchemaAST.toEncoded(ast)
  if (SchemaAST.isLiteral(encoded)) return typeof encoded.literal === "bigint" ? null : [encoded.literal]
  if (SchemaAST.isNull(encoded)) return [null]
  if (!SchemaAST.isUnion(encoded)) return null
  const each = encoded.types.map(allowedValuesOf)
  return each.every((values) => values !== null) ? each.flat() : null
}

const kinds: Readonly<Record<string, string>> = {
  String: "text",
  Number: "a number",
  Boolean: "true or false",
  Null: "null",
  Arrays: "a list",
  Objects: "an object"
}

/** Name of a value of this type; null if there is no short name. */
const nameOf = (ast: SchemaAST.AST): string | null => {
  const encoded = SchemaAST.toEncoded(ast)
  if (!SchemaAST.isUnion(encoded)) return kinds[encoded._tag] ?? null
  const names = encoded.types.map(nameOf)
  return names.every((name) => name !== null) ? [...new Set(names)].join(" or ") : null
}

/** The library's message as a sentence about the field: `Expected a value between 1 and 100, got 0` is no sentence for a caller. */
const sentence = (message: string): string =>
  message
    .replace(/^Expected a value with /, "must have ")
    .replace(/^Expected a value /, "must be ")
    .replace(/^Expected /, "must be ")
    .replace(/, got [^,]*$/, "")

type Fault = Pick<ProblemPart, "detail" | "allowedValues">

const faultOf = (ast: SchemaAST.AST, issue: SchemaIssue.Issue): Fault => {
  const allowedValues = allowedValuesOf(ast)
  if (allowedValues !== null && allowedValues.length <= allowedValuesMax) {
    const listed = allowedValues.map((value) => (typeof value === "string" ? value : String(value)))
    return {
      detail: listed.length === 1 ? `must be ${listed[0]}` : `must be one of ${listed.join(", ")}`,
      allowedValues
    }
  }
  const name = nameOf(ast)
  return { detail: name === null ? say(issue) : `must be ${name}` }
}

/** The fault at the place of an issue. */
const fault = (issue: SchemaIssue.Issue): Fault =>
  issue._tag === "InvalidType" || issue._tag === "AnyOf" || issue._tag === "OneOf"
    ? faultOf(issue.ast, issue)
    : { detail: say(issue) }

const say = (issue: SchemaIssue.Issue): string => sentence(format(issue).issues[0]?.message ?? "is not usable")

/** The fields that a missing object would need. */
function* listNeeded(ast: SchemaAST.AST, pointer: string): Generator<ProblemPart> {
  const encoded = SchemaAST.toEncoded(ast)
  if (!SchemaAST.isObjects(encoded)) return
  for (const { name, type } of encoded.propertySignatures) {
    if (SchemaAST.isOptional(type)) continue
    const field = `${pointer}/${escapePointer(name)}`
    yield { pointer: field, code: "MISSING_FIELDS", detail: "is required" }
    yield* listNeeded(type, field)
  }
}

/** The type of a field of an object. */
const fieldOf = (ast: SchemaAST.AST, path: ReadonlyArray<PropertyKey>): SchemaAST.AST | null => {
  const encoded = SchemaAST.toEncoded(ast)
  return (
    (SchemaAST.isObjects(encoded)
      ? encoded.propertySignatures.find(({ name }) => path.length === 1 && name === path[0])?.type
      : null) ?? null
  )
}

/** Every fault under an issue with its JSON Pointer, one after the other. */
function* partsOf(issue: SchemaIssue.Issue, pointer: string): Generator<ProblemPart> {
  switch (issue._tag) {
    case "Composite":
      for (const inner of issue.issues) {
        yield* partsOf(inner, pointer)
        const absent =
          inner._tag === "Pointer" && inner.issue._tag === "MissingKey" ? fieldOf(issue.ast, inner.path) : null
        if (absent !== null && inner._tag === "Pointer") yield* listNeeded(absent, appendPath(pointer, inner.path))
      }
      return
    case "Pointer":
      return yield* partsOf(issue.issue, appendPath(pointer, issue.path))
    case "MissingKey":
      return yield { pointer, code: "MISSING_FIELDS", detail: "is required" }
    case "Encoding":
      return yield* partsOf(issue.issue, pointer)
    // The library treats every payload as a union; only the fault of the one candidate matters.
    case "AnyOf":
      if (issue.issues.length === 0 || (pointer !== "" && issue.issues.length > 1))
        return yield { pointer, code: "INVALID_FIELD", ...fault(issue) }
      for (const inner of issue.issues) yield* partsOf(inner, pointer)
      return
    case "Filter": {
      const detail = say(issue)
      return yield detail.includes(missing) && detail.length <= missing.length + 2
        ? { pointer, code: "MISSING_FIELDS", detail: "is required and must not be empty" }
        : { pointer, code: "INVALID_FIELD", detail }
    }
    default:
      return yield { pointer, code: "INVALID_FIELD", ...fault(issue) }
  }
}

/** The code of absent fields: rows of the contract without MISSING_FIELDS count them as wrong ones. */
type AbsentCode = "MISSING_FIELDS" | "INVALID_FIELD"

/** Limits a list to the size of a refusal. */
interface Found {
  readonly parts: Array<ProblemPart>
  isMore: boolean
}

const describeParts = ({ isMore, parts }: Found): string =>
  [
    ...parts.map(({ detail, pointer }) => `${pointer === "" ? "/" : pointer}: ${detail}`),
    ...(isMore ? ["and more"] : [])
  ].join("; ")

/** A problem with as many faults as fit. Missing fields come first, because they are quickest to add. */
const refusal = (
  parts: Iterable<ProblemPart>,
  isPayload: boolean,
  absentCode: AbsentCode
): InvalidJson | MissingFields | InvalidField => {
  const [absent, wrong]: readonly [Found, Found] = [
    { parts: [], isMore: false },
    { parts: [], isMore: false }
  ]
  let isWhole = true
  for (const part of parts) {
    isWhole = isWhole && part.pointer === ""
    const isAbsent = part.code === "MISSING_FIELDS"
    const found = isAbsent && absentCode === "MISSING_FIELDS" ? absent : wrong
    if (found.parts.length < problemErrorsMax) found.parts.push(isAbsent ? { ...part, code: absentCode } : part)
    else found.isMore = true
    if (absent.isMore) break
  }
  if (isPayload && isWhole) return new InvalidJson({ detail: "Send a JSON object with content-type application/json." })
  return absent.parts.length > 0
    ? new MissingFields({ detail: describeParts(absent), errors: absent.parts })
    : new InvalidField({ detail: describeParts(wrong), errors: wrong.parts })
}

/** The problem for an undecodable request. */
export const refusalOf = (
  error: HttpApiError.HttpApiSchemaError,
  absentCode: AbsentCode = "MISSING_FIELDS"
): InvalidJson | MissingFields | InvalidField =>
  refusal(partsOf(error.cause.issue, prefixes[error.kind]), error.kind === "Payload", absentCode)

/** The problem for a body with overlong arrays; `issue` covers the rest of it. */
export const overlongRefusalOf = (
  overlong: ReadonlyArray<ProblemPart>,
  issue: SchemaIssue.Issue | null,
  absentCode: AbsentCode = "MISSING_FIELDS"
): InvalidJson | MissingFields | InvalidField => {
  const pointers = new Set(overlong.map(({ pointer }) => pointer))
  const listAll = function* (): Generator<ProblemPart> {
    yield* overlong
    if (issue !== null) for (const part of partsOf(issue, "")) if (!pointers.has(part.pointer)) yield part
  }
  return refusal(listAll(), false, absentCode)
}
