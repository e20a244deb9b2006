import { Ajv2020 } from "ajv/dist/2020.js"
import { Api } from "../../../http/api/Api.ts"
import { OpsApi } from "../../../http/api/OpsApi.ts"
import { describeApi } from "../../../http/docs/DocsSecurity.ts"
import type { Answer } from "./SegmentHttp.ts"

interface Response {
  readonly content?: Readonly<Record<string, unknown>>
}

type Paths = Readonly<
  Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, Response>> }>>>
>

interface ProblemSchema {
  readonly properties: Readonly<Record<string, { readonly enum?: ReadonlyArray<unknown> }>>
}

const documents = ([Api, OpsApi] as const).map((api, n) => {
  const id = `document${n}`
  const document = JSON.parse(JSON.stringify(describeApi(api as typeof Api))) as {
    readonly paths: Paths
    readonly components: { readonly schemas: Readonly<Record<string, ProblemSchema>> }
  }
  const validator = new Ajv2020({ strict: false, validateSchema: false, validateFormats: false, allErrors: true })
  validator.addSchema(document, id)
  // Of several matching paths, the one with the fewest parameters is served.
  const patterns = Object.keys(document.paths)
    .map((path) => ({ path, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`) }))
    .sort((one, other) => one.path.split("{").length - other.path.split("{").length)
  return { id, patterns, paths: document.paths, schemas: document.components.schemas, validator }
})

const escapePath = (key: string) => encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"))

/** Differences between an answer and the published description; empty for addresses and methods that it lacks. */
export const findUndescribed = (
  method: string,
  url: string,
  { body, headers, status }: Answer
): ReadonlyArray<string> => {
  const asked = url.split("?")[0]!
  for (const { id, paths, patterns, validator } of documents) {
    const path = patterns.find((each) => each.path === asked || each.pattern.test(asked))?.path
    const verb = method.toLowerCase()
    const responses = path === undefined ? undefined : paths[path]![verb]?.responses
    if (path === undefined || responses === undefined) continue
    const where = `${method} ${path} ${status}`
    const response = responses[status]
    if (response === undefined) return [`${where} is not described`]
    const type = (headers.get("content-type") ?? "").split(";")[0]!
    if (type === "") return []
    if (response.content?.[type] === undefined) return [`${where} ${type} is not described`]
    if (!type.endsWith("json")) return []
    const pointer = ["paths", path, verb, "responses", String(status), "content", type, "schema"]
      .map(escapePath)
      .join("/")
    const validate = validator.getSchema(`${id}#/${pointer}`)
    if (validate === undefined) return [`${where} has no schema`]
    return validate(body)
      ? []
      : (validate.errors ?? []).map(({ instancePath, message }) => `${where} ${instancePath}: ${message}`)
  }
  return []
}

const problems = Object.entries(documents[0]!.schemas).filter(
  ([, { properties }]) => properties?.["instance"] !== undefined
)

/**
 * Differences between a refusal of the stream or the socket, which no operation describes, and the published schema of its code.
 * For a code without a schema, the members that all problems share are checked.
 */
export const findUndescribedProblem = (body: {
  readonly code: string
  readonly status: number
}): ReadonlyArray<string> => {
  const { id, validator } = documents[0]!
  const own = problems.find(
    ([, { properties }]) =>
      properties["code"]?.enum?.[0] === body.code && properties["status"]?.enum?.[0] === body.status
  )
  const [, common] = problems[0]!
  const string = { type: "string" }
  const validate =
    own === undefined
      ? validator.compile({
          ...common,
          properties: { ...common.properties, type: string, title: string, code: string, status: { type: "number" } }
        })
      : validator.getSchema(`${id}#/components/schemas/${escapePath(own[0])}`)!
  return validate(body)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${body.code} ${instancePath}: ${message}`)
}
