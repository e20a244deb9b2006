import * as fc from "fast-check"
import { OpenApi } from "effect/http-api"
import { Api } from "../../../http/api/Api.ts"

interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly allOf?: ReadonlyArray<JsonSchema>
  readonly properties?: Record<string, JsonSchema>
  readonly required?: ReadonlyArray<string>
  readonly items?: JsonSchema
  readonly minimum?: number
  readonly maximum?: number
}

interface Parameter {
  readonly name: string
  readonly in: "path" | "query" | "header"
  readonly schema: JsonSchema
}

export interface Declared {
  readonly method: string
  readonly path: string
  readonly secured: boolean
  readonly parameters: ReadonlyArray<Parameter>
  readonly body: JsonSchema | null
}

const spec = JSON.parse(JSON.stringify(OpenApi.fromApi(Api))) as {
  readonly paths: Record<
    string,
    Record<
      string,
      {
        readonly parameters?: ReadonlyArray<Parameter>
        readonly security?: ReadonlyArray<unknown>
        readonly requestBody?: { readonly content: Record<string, { readonly schema: JsonSchema }> }
      }
    >
  >
  readonly components: { readonly schemas: Record<string, JsonSchema> }
}

/** Every operation of the station's own description. */
export const declaredOperations: ReadonlyArray<Declared> = Object.entries(spec.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path,
    secured: (operation.security ?? []).length > 0,
    parameters: operation.parameters ?? [],
    body: operation.requestBody?.content["application/json"]?.schema ?? null
  }))
)

const ids = ["agt", "seg", "mas", "trk", "itm"].map((prefix) => `${prefix}_01hzzzzzzzzzzzzzzzzzzzzzzz`)

/** Values that only faulty clients send. */
const junk = fc.oneof(
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.string({ maxLength: 30 }),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom(
    "",
    " ",
    "\u0000",
    "\ud800",
    "a\udfffb",
    "\ufffe",
    "\ufdd0",
    "\u{1ffff}",
    "\u202ehidden",
    "__proto__",
    "constructor",
    "' OR 1=1 --",
    "../../etc/passwd",
    "%00",
    "<script>",
    "NaN",
    "1e999",
    "2026-99-99T99:99:99Z",
    "0001-01-01T00:00:00Z",
    "+275760-09-13T00:00:00Z",
    "x".repeat(20_000),
    "🎙".repeat(200),
    ...ids
  ),
  fc.array(fc.anything({ maxDepth: 1 }), { maxLength: 3 }),
  // Longer than any list of an operation may be.
  fc.constantFrom(
    Array(3_000).fill(1),
    Array(600).fill("\ud800"),
    Array.from({ length: 300 }, () => ({ id: "x", at: null })),
    Array(101).fill(ids[0])
  ),
  fc.object({ maxDepth: 2 })
)

/** Valid values that a schema can't describe, which get past the first refusals. */
const good: Record<string, fc.Arbitrary<unknown>> = {
  category: fc.constantFrom("news", "station_id", "story"),
  title: fc.constant("A title"),
  scriptText: fc.lorem({ maxCount: 30 }),
  stationSlug: fc.constant("longwave"),
  type: fc.constantFrom("anonymous", "identity_assertion"),
  handle: fc.stringMatching(/^[a-z]{10}$/),
  displayName: fc.constant("A name"),
  assertionType: fc.constant("email"),
  assertion: fc.constant("a@b.cd"),
  role: fc.constant("hybrid"),
  voiceId: fc.constantFrom("voice_ada", "voice_none"),
  ownerEmail: fc.constant("a@b.cd"),
  consentGiven: fc.constant(true)
}

/** Mostly values that the schema allows, sometimes others. */
const valueOf = (schema: JsonSchema, depth = 0): fc.Arbitrary<unknown> => {
  const drawAllowed = (): fc.Arbitrary<unknown> => {
    if (depth > 5) return fc.constant(null)
    if (schema.$ref !== undefined) return valueOf(spec.components.schemas[schema.$ref.split("/").at(-1)!]!, depth + 1)
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
    if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((each) => valueOf(each, depth + 1)))
    if (schema.allOf !== undefined && schema.type === undefined) return valueOf(schema.allOf[0]!, depth + 1)
    switch (schema.type) {
      case "string":
        return fc.oneof(
          fc.string({ maxLength: 40 }),
          fc.constantFrom("\ud800", "a\udfffb", "\ufffe"),
          fc.constantFrom(
            "news",
            "station_id",
            "anonymous",
            "identity_assertion",
            "email",
            "longwave",
            "a@b.cd",
            "2027-01-01T00:00:00Z",
            "Good evening.",
            ...ids
          ),
          fc.lorem({ maxCount: 20 })
        )
      case "integer":
        return fc.integer({ min: schema.minimum ?? -1_000, max: schema.maximum ?? 1_000 })
      case "number":
        return fc.double()
      case "boolean":
        return fc.boolean()
      case "array": {
        const items = schema.items === undefined ? junk : valueOf(schema.items, depth + 1)
        return fc.oneof(
          { weight: 6, arbitrary: fc.array(items, { maxLength: 4 }) },
          // Each entry as the schema has it, and far too many of them.
          {
            weight: 1,
            arbitrary: fc.tuple(items, fc.constantFrom(33, 300, 1_200)).map(([item, count]) => Array(count).fill(item))
          }
        )
      }
      case "object": {
        const required = (schema.required ?? []).filter((name) => name in (schema.properties ?? {}))
        const field = (name: string) => {
          const any = valueOf(schema.properties![name]!, depth + 1)
          return [
            name,
            good[name] === undefined
              ? any
              : fc.oneof({ weight: 12, arbitrary: good[name] }, { weight: 1, arbitrary: any })
          ] as const
        }
        return fc.oneof(
          fc.record(Object.fromEntries(Object.keys(schema.properties ?? {}).map(field)), { requiredKeys: required }),
          fc.record(Object.fromEntries(required.map(field)))
        )
      }
      default:
        return junk
    }
  }
  return fc.oneof({ weight: 8, arbitrary: drawAllowed() }, { weight: 1, arbitrary: junk })
}

export interface Ask {
  readonly operation: Declared
  readonly target: string
  readonly body: string | null
  readonly key: "own" | "none" | "junk"
  readonly headers: Record<string, string>
}

/** Longer addresses are refused before any operation sees them. */
const addressCharsMax = 1_000
const toText = (value: unknown): string =>
  (typeof value === "string" ? value : (JSON.stringify(value) ?? "")).slice(0, addressCharsMax).toWellFormed()

/** Requests for an operation that its own description allows, and some that it doesn't. */
export const asksOf = (operation: Declared): fc.Arbitrary<Ask> => {
  const drawNamed = (place: Parameter["in"]) =>
    fc.record(
      Object.fromEntries(
        operation.parameters.filter((each) => each.in === place).map((each) => [each.name, valueOf(each.schema)])
      ),
      place === "path" ? {} : { requiredKeys: [] }
    )
  return fc
    .record({
      path: drawNamed("path"),
      query: drawNamed("query"),
      header: drawNamed("header"),
      extra: fc.oneof(
        { weight: 6, arbitrary: fc.constant({}) },
        { weight: 1, arbitrary: fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), junk, { maxKeys: 2 }) }
      ),
      body: operation.body === null ? fc.constant(undefined) : valueOf(operation.body),
      raw: fc.oneof(
        { weight: 9, arbitrary: fc.constant(null) },
        { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 50 }) }
      ),
      key: fc.oneof(
        { weight: 6, arbitrary: fc.constant("own" as const) },
        { weight: 1, arbitrary: fc.constantFrom("none" as const, "junk" as const) }
      )
    })
    .map(({ body, extra, header, key, path, query, raw }) => {
      const address = operation.path.replaceAll(
        /\{(\w+)\}/g,
        (_, name: string) => encodeURIComponent(toText((path as Record<string, unknown>)[name])) || "x"
      )
      const search = new URLSearchParams(
        Object.entries({ ...(query as object), ...extra }).map(([name, value]) => [name, toText(value)])
      ).toString()
      const toPrintable = (text: string) =>
        text
          .replaceAll(/[^\x20-\x7e]/g, "?")
          .trim()
          .slice(0, 300)
      return {
        operation,
        target: search === "" ? address : `${address}?${search}`,
        key,
        body:
          operation.method === "GET"
            ? null
            : raw !== null
              ? raw.toWellFormed()
              : body === undefined
                ? null
                : (JSON.stringify(body) ?? null),
        headers: Object.fromEntries(
          Object.entries(header as object)
            .map(([name, value]) => [name, toPrintable(toText(value))])
            .filter(([, value]) => value !== "")
        )
      }
    })
}
