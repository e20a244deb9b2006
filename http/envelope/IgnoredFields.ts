import { type Schema, SchemaAST } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import { ignoredFieldsMax, ignoredFieldsMaxBytes } from "../../engine/rules/http/limits.ts"

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Sanitises field names, so that they can't break the header or its list. */
const sanitize = (path: string): string =>
  path.replaceAll(/[^\w.$-]/g, (char) => encodeURIComponent(char.isWellFormed() ? char : "\ufffd"))

/** Unknown fields of a value, one after the other. */
function* listUnread(shapes: ReadonlyArray<SchemaAST.AST>, value: unknown, path: string): Generator<string> {
  const flat = shapes.flatMap((shape): ReadonlyArray<SchemaAST.AST> => (shape._tag === "Union" ? shape.types : [shape]))
  if (Array.isArray(value)) {
    const inner = flat.flatMap((shape) => (shape._tag === "Arrays" ? [...shape.elements, ...shape.rest] : []))
    if (inner.length > 0)
      for (const [index, each] of value.entries()) yield* listUnread(inner, each, `${path}.${index}`)
    return
  }
  const objects = flat.filter((shape) => shape._tag === "Objects")
  if (!isRecord(value) || objects.length === 0 || objects.some(({ indexSignatures }) => indexSignatures.length > 0))
    return
  const known = Map.groupBy(
    objects.flatMap(({ propertySignatures }) => propertySignatures),
    ({ name }) => name
  )
  for (const [name, inner] of Object.entries(value)) {
    const here = path === "" ? name : `${path}.${name}`
    const types = known.get(name)
    if (types === undefined) yield here
    else
      yield* listUnread(
        types.map(({ type }) => type),
        inner,
        here
      )
  }
}

/**
 * Lists unknown fields in a header, up to its size. They are ignored for forward compatibility, and reported so that
 * callers notice typing errors.
 */
export const listIgnoredFields = (endpoint: HttpApiEndpoint.Top, body: unknown): string => {
  const shapes = [...endpoint.payload.values()].flatMap(({ schemas }) =>
    (schemas as ReadonlyArray<Schema.Top>).map(({ ast }) => SchemaAST.toEncoded(ast))
  )
  const names: Array<string> = []
  let bytes = 0
  for (const path of listUnread(shapes, body, "")) {
    const name = path.length > ignoredFieldsMaxBytes ? path : sanitize(path)
    bytes += name.length + 2
    if (bytes > ignoredFieldsMaxBytes) break
    names.push(name)
    if (names.length === ignoredFieldsMax) break
  }
  return names.join(", ")
}
