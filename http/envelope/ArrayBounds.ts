import { Context, Effect, Result, Schema } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import { problemErrorsMax } from "../../engine/rules/http/limits.ts"
import type { ProblemPart } from "../../schema/Problem.ts"
import { AbsentField } from "../api/RequestErrors.ts"
import { overlongRefusalOf } from "./Refusals.ts"

interface Shape {
  readonly $ref?: string
  readonly type?: string
  readonly anyOf?: ReadonlyArray<Shape>
  readonly oneOf?: ReadonlyArray<Shape>
  readonly allOf?: ReadonlyArray<Shape>
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape | boolean
  readonly maxItems?: number
}

interface Published {
  readonly shape: Shape
  readonly definitions: Readonly<Record<string, Shape>>
}

interface Payload extends Published {
  readonly decode: (body: unknown) => Effect.Effect<unknown, Schema.SchemaError>
}

/** The published JSON schema of an operation's body, built at its first request. */
const payloads = new WeakMap<HttpApiEndpoint.Top, Payload | null>()

const payloadOf = (endpoint: HttpApiEndpoint.Top): Payload | null => {
  const before = payloads.get(endpoint)
  if (before !== undefined) return before
  const schemas = [...endpoint.payload.values()].flatMap(({ encoding, schemas }) =>
    encoding._tag === "Json" ? (schemas as ReadonlyArray<Schema.Top>) : []
  )
  const schema = schemas.length === 0 ? null : (Schema.Union(schemas) as unknown as Schema.Codec<unknown>)
  const document = schema === null ? null : Schema.toJsonSchemaDocument(schema)
  const payload =
    schema === null || document === null
      ? null
      : {
          shape: document.schema as Shape,
          definitions: document.definitions as Readonly<Record<string, Shape>>,
          decode: Schema.decodeUnknownEffect(schema, { errors: "all" })
        }
  payloads.set(endpoint, payload)
  return payload
}

/** A schema with its references and alternatives, flattened. */
const flatten = (shape: Shape, { definitions }: Published, seen: ReadonlyArray<string> = []): ReadonlyArray<Shape> => {
  const name = shape.$ref?.split("/").at(-1)
  const referred = name === undefined || seen.includes(name) ? undefined : definitions[name]
  return [
    shape,
    ...(referred === undefined ? [] : flatten(referred, { definitions, shape: referred }, [...seen, name!])),
    ...[...(shape.anyOf ?? []), ...(shape.oneOf ?? []), ...(shape.allOf ?? [])].flatMap((part) =>
      flatten(part, { definitions, shape: part }, seen)
    )
  ]
}

const itemsMaxOf = ({ allOf = [], maxItems = Infinity }: Shape): number =>
  Math.min(maxItems, ...allOf.map((part) => part.maxItems ?? Infinity))

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const escapePointer = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1")

/** Copies the read parts of a body with overlong arrays emptied, and records each of them. */
const prune = (
  payload: Published,
  shapes: ReadonlyArray<Shape>,
  value: unknown,
  pointer: string,
  overlong: Array<ProblemPart>
): unknown => {
  if (Array.isArray(value)) {
    const arrays = shapes.filter(({ type }) => type === "array")
    if (arrays.length === 0) return value
    const itemsMax = Math.max(...arrays.map(itemsMaxOf))
    if (value.length > itemsMax) {
      if (overlong.length < problemErrorsMax)
        overlong.push({ pointer, code: "INVALID_FIELD", detail: `must have at most ${itemsMax} entries` })
      return []
    }
    const inner = arrays.flatMap(({ items }) => (typeof items === "object" ? flatten(items, payload) : []))
    return value.map((each, index) => prune(payload, inner, each, `${pointer}/${index}`, overlong))
  }
  if (!isRecord(value)) return value
  const names = new Set(shapes.flatMap(({ properties = {} }) => Object.keys(properties)))
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) =>
      names.has(name)
        ? [
            name,
            prune(
              payload,
              shapes.flatMap(({ properties }) =>
                properties?.[name] === undefined ? [] : flatten(properties[name], payload)
              ),
              inner,
              `${pointer}/${escapePointer(name)}`,
              overlong
            )
          ]
        : [name, inner]
    )
  )
}

/**
 * Refuses a body with an array longer than the published `maxItems`, together with its other faults. It runs before
 * decoding, because the decoder reads every entry before it counts them, and reports each wrong one.
 */
export const boundArrays = Effect.fnUntraced(function* (endpoint: HttpApiEndpoint.Top, body: unknown) {
  const payload = payloadOf(endpoint)
  if (payload === null) return
  const overlong: Array<ProblemPart> = []
  const rest = prune(payload, flatten(payload.shape, payload), body, "", overlong)
  if (overlong.length === 0) return
  const decoded = yield* Effect.result(payload.decode(rest))
  return yield* overlongRefusalOf(
    overlong,
    Result.isFailure(decoded) ? decoded.failure.issue : null,
    Context.get(endpoint.annotations, AbsentField)
  )
})
