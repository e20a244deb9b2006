import { type HttpApi, type HttpApiGroup, OpenApi } from "effect/http-api"

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

/** Where each argument of a tool goes. */
export interface McpTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: { readonly type: "object" } & JsonSchema
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

/** Rewrites references into the API description as references to a tool's own definitions. */
const localised = (schema: unknown): unknown =>
  JSON.parse(JSON.stringify(schema).replaceAll("#/components/schemas/", "#/$defs/"))

const referred = (
  schemas: Spec["components"]["schemas"],
  schema: unknown,
  found: Map<string, unknown> = new Map()
): Map<string, unknown> => {
  for (const [, name] of JSON.stringify(schema ?? null).matchAll(/#\/(?:components\/schemas|\$defs)\/([^"]+)/g)) {
    if (found.has(name!)) continue
    found.set(name!, localised(schemas[name!]))
    referred(schemas, schemas[name!], found)
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

const toolOf = (
  schemas: Spec["components"]["schemas"],
  method: string,
  path: string,
  operation: Operation
): McpTool => {
  const { deprecated, description, operationId, parameters = [], requestBody, summary } = operation
  const body = bodyObject(schemas, requestBody?.content[json]?.schema)
  const inPath = parameters.filter((each) => each.in === "path")
  const inQuery = parameters.filter((each) => each.in === "query")
  const schemaOf = ({ schema }: Parameter): unknown => localised(schema)
  const properties = {
    ...((body?.["properties"] as JsonSchema | undefined) === undefined
      ? {}
      : (localised(body!["properties"]) as JsonSchema)),
    ...Object.fromEntries([...inQuery, ...inPath].map((each) => [each.name, schemaOf(each)])),
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
  const defs = referred(schemas, properties)
  return {
    name: operationId.replaceAll(/\W+/g, "_"),
    title: summary ?? operationId,
    description:
      `${deprecated === true ? "Deprecated. " : ""}${description ?? ""} (${method} ${path}${operation.security === undefined || operation.security.length === 0 ? "; no key needed" : ""})`.trim(),
    inputSchema: {
      type: "object",
      properties,
      ...(required.length === 0 ? {} : { required: [...new Set(required)] }),
      ...(defs.size === 0 ? {} : { $defs: Object.fromEntries(defs) })
    },
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

/** Tools of all operations that answer JSON, generated from the declarations. */
export const toolsOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ReadonlyArray<McpTool> => {
  const { components, paths } = JSON.parse(JSON.stringify(OpenApi.fromApi(api))) as Spec
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      // Tools only take JSON arguments; files are uploaded over HTTP.
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
