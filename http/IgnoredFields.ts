import { type Schema, SchemaAST } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import { ignoredFieldsMax } from "../engine/Limits.ts"

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value)

/** Names in a header must not be able to end it, or to look like two. */
const named = (path: string): string => path.replaceAll(/[^\w.$-]/g, (char) => encodeURIComponent(char.isWellFormed() ? char : "\ufffd"))

/** The fields of a value that none of the shapes reads. */
const unread = (shapes: ReadonlyArray<SchemaAST.AST>, value: unknown, path: string): ReadonlyArray<string> => {
  const flat = shapes.flatMap((shape): ReadonlyArray<SchemaAST.AST> => shape._tag === "Union" ? shape.types : [shape])
  if (Array.isArray(value)) {
    const inner = flat.flatMap((shape) => shape._tag === "Arrays" ? [...shape.elements, ...shape.rest] : [])
    return inner.length === 0 ? [] : value.flatMap((each, index) => unread(inner, each, `${path}.${index}`))
  }
  const objects = flat.filter((shape) => shape._tag === "Objects")
  if (!isRecord(value) || objects.length === 0 || objects.some(({ indexSignatures }) => indexSignatures.length > 0)) return []
  const known = Map.groupBy(objects.flatMap(({ propertySignatures }) => propertySignatures), ({ name }) => name)
  return Object.entries(value).flatMap(([name, inner]) => {
    const here = path === "" ? name : `${path}.${name}`
    const types = known.get(name)
    return types === undefined ? [here] : unread(types.map(({ type }) => type), inner, here)
  })
}

/** What of a body is passed over: the contract grows, so nothing unknown is refused, but whoever mistyped a name learns it. */
export const ignoredFields = (endpoint: HttpApiEndpoint.Top, body: unknown): string => {
  const shapes = [...endpoint.payload.values()].flatMap(({ schemas }) => (schemas as ReadonlyArray<Schema.Top>).map(({ ast }) => SchemaAST.toEncoded(ast)))
  return shapes.length === 0 ? "" : unread(shapes, body, "").slice(0, ignoredFieldsMax).map(named).join(", ")
}
