import type { HttpApi, HttpApiGroup } from "effect/http-api"
import { describeApi } from "../docs/DocsSecurity.ts"
import { type JsonSchema as Typed, shapes, typeOf } from "../docs/DocsSchema.ts"
import { argumentMeanings } from "./Arguments.ts"

type JsonSchema = Readonly<Record<string, unknown>>

interface Parameter {
  readonly name: string
  readonly in: "path" | "query" | "header"
  readonly required?: boolean
  readonly description?: string
  readonly schema: JsonSchema
}

interface Operation {
  readonly operationId: string
  readonly summary?: string
  readonly description?: string
  readonly deprecated?: boolean
  readonly security?: ReadonlyArray<object>
  readonly parameters?: ReadonlyArray<Parameter>
  readonly requestBody?: {
    readonly required?: boolean
    readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>>
  }
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>
}

interface Spec {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> }
}

/** Place of each argument of a tool: path, query, header or body. */
export interface McpTool {
  readonly name: string
  /** Name by the declaration, under which clients with a saved list still call it. */
  readonly operation: string
  readonly title: string
  readonly description: string
  readonly inputSchema: { readonly type: "object" } & JsonSchema
  readonly outputSchema: { readonly type: "object" } & JsonSchema
  readonly annotations: {
    readonly readOnlyHint: boolean
    readonly destructiveHint: boolean
    readonly idempotentHint: boolean
    readonly openWorldHint: boolean
  }
  readonly method: string
  readonly path: string
  readonly inPath: ReadonlyArray<string>
  readonly inQuery: ReadonlyArray<string>
  /** Whether the remaining arguments form the body. */
  readonly hasBody: boolean
}

/** The argument that becomes the `Idempotency-Key` header. */
const idempotencyArgument = "idempotencyKey"

const json = "application/json"

/** Whether an operation also answers in a form other than JSON. */
const isInOtherForms = (responses: Operation["responses"]): boolean =>
  Object.entries(responses).some(
    ([status, { content }]) => Number(status) < 400 && Object.keys(content ?? {}).some((type) => type !== json)
  )

/** Arguments that choose such a form, or continue a stream. */
const formArguments = new Set(["format", "lastEventId"])

/** Whether an agent can call it: without a credential, or with its key. */
const isForAgents = ({ security = [] }: Operation): boolean =>
  security.length === 0 ||
  security.some((each) => "agentKey" in each) ||
  security.every((each) => Object.keys(each).length === 0)

/** The same operation at a second address. */
const isSecondAddress = ({ summary = "" }: Operation): boolean => /\((same|short|former) /.test(summary)

/** Rewrites references into the API description as references to a tool's own definitions. */
const localise = (schema: unknown): unknown =>
  JSON.parse(JSON.stringify(schema).replaceAll("#/components/schemas/", "#/$defs/"))

const listReferred = (
  schemas: Spec["components"]["schemas"],
  schema: unknown,
  found: Map<string, unknown> = new Map()
): Map<string, unknown> => {
  for (const [, name] of JSON.stringify(schema ?? null).matchAll(/#\/(?:components\/schemas|\$defs)\/([^"]+)/g)) {
    if (found.has(name!)) continue
    found.set(name!, localise(schemas[name!]))
    listReferred(schemas, schemas[name!], found)
  }
  return found
}

/** The object alternative of an optional body. */
const bodyObject = (schemas: Spec["components"]["schemas"], schema: JsonSchema | undefined): JsonSchema | null => {
  if (schema === undefined) return null
  const name = typeof schema["$ref"] === "string" ? schema["$ref"].split("/").at(-1)! : null
  const whole = name === null ? schema : schemas[name]!
  const alternatives = whole["anyOf"] as ReadonlyArray<JsonSchema> | undefined
  return alternatives === undefined
    ? whole
    : (alternatives.map((each) => bodyObject(schemas, each)).find((each) => each?.["type"] === "object") ?? null)
}

/**
 * The members of a tool's answers with their kinds. What lies deeper is in the interface's description: with it, the
 * answers would be two thirds of a list that a model has to read. Answers may grow, so nothing forbids further members.
 */
const outputOf = (
  schemas: Spec["components"]["schemas"],
  responses: Operation["responses"],
  isRead: boolean
): McpTool["outputSchema"] => {
  const known = schemas as Parameters<typeof shapes>[0]
  const answers = Object.entries(responses)
    .flatMap(([status, { content }]) =>
      Number(status) < 400 && content?.[json] !== undefined
        ? [(content[json] as { readonly schema: Typed }).schema]
        : []
    )
    .flatMap((each) => shapes(known, each))
  const kindsOf = (schema: Typed): ReadonlyArray<string> =>
    shapes(known, schema).flatMap(({ type }) => (type === undefined ? [] : [type]))
  const names = [...new Set(answers.flatMap(({ properties }) => Object.keys(properties ?? {})))]
  const properties = names.map((name): [string, JsonSchema] => {
    const each = answers.flatMap(({ properties }) => (properties?.[name] === undefined ? [] : [properties[name]]))
    const isTold = each.every((one) => shapes(known, one).every(({ type }) => type !== undefined))
    const kinds = [...new Set(each.flatMap(kindsOf))]
    return [name, isTold && kinds.length > 0 ? { type: kinds.length === 1 ? kinds[0] : kinds } : {}]
  })
  // A dry run answers something else in place of these.
  const required = names.filter((name) => isRead && answers.every((each) => each.required?.includes(name) === true))
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required })
  }
}

const truths = new Set<unknown>(["true", "false", "1", "0"])

/** Numbers and truth values, which a query writes as text. */
const withTypes = (name: string, schema: JsonSchema): JsonSchema => {
  const values = schema["enum"] as ReadonlyArray<unknown> | undefined
  if (values?.every((value) => truths.has(value)) === true) return { type: "boolean" }
  if (typeof schema["pattern"] === "string" && schema["pattern"].startsWith("^[+-]?"))
    return { type: "integer", ...(name === "limit" ? { minimum: 1 } : {}) }
  return schema
}

const separateWords = (name: string): string => name.replaceAll(/_|(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase()

/** An argument with its type and a description: what it means, and which values it takes. */
const argumentOf = (schemas: Spec["components"]["schemas"], name: string, schema: JsonSchema): JsonSchema => {
  const type = withTypes(name, schema)
  const whole = localise(type) as JsonSchema
  if (typeof whole["description"] === "string" && typeof whole["$ref"] !== "string") return whole
  const meaning = argumentMeanings[name] ?? `The ${separateWords(name)}`
  const values = typeOf(schemas as Parameters<typeof typeOf>[0], type as Typed)
  const description = `${meaning} (${values}).`
  return typeof whole["$ref"] === "string" ? { allOf: [whole], description } : { ...whole, description }
}

/** Summaries that two operations share, told apart. */
const renamed: Readonly<Record<string, string>> = {
  "mediaUploads.complete": "complete_recording_upload",
  "gallery.initiate": "reserve_gallery_upload",
  "gallery.complete": "complete_gallery_upload"
}

/** A tool is called what its operation's summary says: `check_in`, `read_your_own_record`. */
const nameOf = (operationId: string, summary: string): string =>
  renamed[operationId] ?? summary.toLowerCase().replaceAll("'", "").replaceAll(/\W+/g, "_")

const toolOf = (
  schemas: Spec["components"]["schemas"],
  method: string,
  path: string,
  operation: Operation
): McpTool => {
  const { description, operationId, parameters = [], requestBody, responses, summary } = operation
  const body = bodyObject(schemas, requestBody?.content[json]?.schema)
  const inPath = parameters.filter((each) => each.in === "path")
  // Streams, calendars and the like are read over HTTP; as a tool an operation answers JSON.
  const inQuery = parameters.filter(
    (each) => each.in === "query" && !(isInOtherForms(responses) && formArguments.has(each.name))
  )
  const given = [
    ...Object.entries((body?.["properties"] as Readonly<Record<string, JsonSchema>> | undefined) ?? {}),
    ...[...inQuery, ...inPath].map(({ name, schema }) => [name, schema] as const)
  ]
  const properties = {
    ...Object.fromEntries(given.map(([name, schema]) => [name, argumentOf(schemas, name, schema)])),
    ...(method === "POST"
      ? {
          [idempotencyArgument]: {
            type: "string",
            minLength: 1,
            maxLength: 255,
            description: "The same key with the same arguments has one effect, however often it is sent."
          }
        }
      : {})
  }
  const required = [...inPath, ...inQuery.filter((each) => each.required === true)]
    .map(({ name }) => name)
    .concat((body?.["required"] as Array<string> | undefined) ?? [])
  const defs = listReferred(schemas, properties)
  return {
    name: nameOf(operationId, summary ?? operationId),
    operation: operationId,
    title: summary ?? operationId,
    description:
      `${description ?? ""} (${method} ${path}${operation.security === undefined || operation.security.length === 0 ? "; no key needed" : ""})`.trim(),
    inputSchema: {
      type: "object",
      properties,
      ...(required.length === 0 ? {} : { required: [...new Set(required)] }),
      ...(defs.size === 0 ? {} : { $defs: Object.fromEntries(defs) })
    },
    outputSchema: outputOf(schemas, responses, method === "GET"),
    annotations: {
      readOnlyHint: method === "GET",
      destructiveHint: method === "DELETE",
      idempotentHint: method !== "POST",
      openWorldHint: false
    },
    method,
    path,
    inPath: inPath.map(({ name }) => name),
    inQuery: inQuery.map(({ name }) => name),
    hasBody: body !== null
  }
}

/** Tools of all operations that an agent can call and that answer JSON, generated from the declarations. */
export const toolsOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ReadonlyArray<McpTool> => {
  const { components, paths } = JSON.parse(JSON.stringify(describeApi(api))) as unknown as Spec
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      // Tools only take JSON arguments; files are uploaded over HTTP.
      .filter(([, operation]) => operation.deprecated !== true && isForAgents(operation) && !isSecondAddress(operation))
      .filter(
        ([, { requestBody, responses }]) =>
          (requestBody === undefined || json in requestBody.content) &&
          Object.entries(responses).some(
            ([status, { content }]) => Number(status) < 400 && content !== undefined && json in content
          )
      )
      .map(([method, operation]) => toolOf(components.schemas, method.toUpperCase(), path, operation))
  )
}

/** The HTTP request of a tool call. A missing path parameter becomes an empty segment, which the operation refuses. */
export const requestOf = (
  tool: McpTool,
  given: Readonly<Record<string, unknown>>
): {
  readonly method: string
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string | null
} => {
  // An address can't carry a lone surrogate: a noncharacter stands for it there, which is refused alike.
  const text = (value: unknown) =>
    (typeof value === "string" ? value : JSON.stringify(value)).replaceAll(/\p{Surrogate}/gu, "\ufffe")
  const path = tool.path.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => encodeURIComponent(text(given[name] ?? "-")) || "-"
  )
  const query = new URLSearchParams(
    tool.inQuery
      .filter((name) => given[name] !== undefined && given[name] !== null)
      .map((name): [string, string] => [name, text(given[name])])
  ).toString()
  const taken = new Set([...tool.inPath, ...tool.inQuery, ...(tool.method === "POST" ? [idempotencyArgument] : [])])
  const rest = Object.fromEntries(Object.entries(given).filter(([name]) => !taken.has(name)))
  const key = tool.method === "POST" ? given[idempotencyArgument] : undefined
  return {
    method: tool.method,
    url: query === "" ? path : `${path}?${query}`,
    headers: {
      ...(tool.hasBody ? { "content-type": json } : {}),
      ...(key === undefined ? {} : { "idempotency-key": text(key) })
    },
    body: tool.hasBody ? JSON.stringify(rest) : null
  }
}
