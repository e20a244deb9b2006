import { Ajv2020 } from "ajv/dist/2020.js"
import { Api } from "../../../http/api/Api.ts"
import { OpsApi } from "../../../http/api/OpsApi.ts"
import { describedApi } from "../../../http/docs/DocsSecurity.ts"
import type { Answer } from "./SegmentHttp.ts"

interface Response {
  readonly content?: Readonly<Record<string, unknown>>
}

type Paths = Readonly<
  Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, Response>> }>>>
>

const documents = ([Api, OpsApi] as const).map((api, n) => {
  const id = `document${n}`
  const document = JSON.parse(JSON.stringify(describedApi(api as typeof Api))) as { readonly paths: Paths }
  const validator = new Ajv2020({ strict: false, validateSchema: false, validateFormats: false, allErrors: true })
  validator.addSchema(document, id)
  // The path with the fewest parameters is the one that is served.
  const patterns = Object.keys(document.paths)
    .map((path) => ({ path, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`) }))
    .sort((one, other) => one.path.split("{").length - other.path.split("{").length)
  return { id, patterns, paths: document.paths, validator }
})

const escaped = (key: string) => encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"))

/** How an answer differs from the published description. Nothing is said of addresses and methods that it doesn't hold. */
export const undescribed = (method: string, url: string, { body, headers, status }: Answer): ReadonlyArray<string> => {
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
    const pointer = ["paths", path, verb, "responses", String(status), "content", type, "schema"].map(escaped).join("/")
    const validate = validator.getSchema(`${id}#/${pointer}`)
    if (validate === undefined) return [`${where} has no schema`]
    return validate(body)
      ? []
      : (validate.errors ?? []).map(({ instancePath, message }) => `${where} ${instancePath}: ${message}`)
  }
  return []
}
