import { OpenApi } from "effect/http-api"
import { Api } from "../../../http/api/Api.ts"
import { OpsApi } from "../../../http/api/OpsApi.ts"

interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
  readonly format?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly not?: JsonSchema
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly oneOf?: ReadonlyArray<JsonSchema>
  readonly allOf?: ReadonlyArray<JsonSchema>
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
}

export interface TextOperation {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly secured: ReadonlyArray<string>
  readonly isForm: boolean
  /** Pointers into the body; a parameter is `?name`, a header `#name`, an entry of a list `[]`. */
  readonly fields: ReadonlyArray<string>
}

interface Spec {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly parameters?: ReadonlyArray<{
              readonly name: string
              readonly in: string
              readonly schema: JsonSchema
            }>
            readonly security?: ReadonlyArray<Readonly<Record<string, unknown>>>
            readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> }
          }
        >
      >
    >
  >
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> }
}

/** Every position of a body whose schema allows a text; enumerated values are no texts. */
const textsIn = (
  spec: Spec,
  schema: JsonSchema,
  at: string,
  within: ReadonlyArray<string> = []
): ReadonlyArray<string> => {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split("/").at(-1)!
    return within.includes(name) ? [] : textsIn(spec, spec.components.schemas[name]!, at, [...within, name])
  }
  const inner = (part: JsonSchema, to = at) => textsIn(spec, part, to, within)
  const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]
  const isUntyped =
    schema.type === undefined &&
    schema.enum === undefined &&
    schema.not === undefined &&
    schema.properties === undefined &&
    parts.length === 0
  return [
    ...((schema.type === "string" && schema.enum === undefined && schema.format !== "binary") || isUntyped ? [at] : []),
    ...parts.flatMap((part) => inner(part)),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, part]) => inner(part, `${at}/${name}`)),
    ...(schema.items === undefined ? [] : inner(schema.items, `${at}[]`))
  ]
}

const parameterMarks: Readonly<Record<string, string>> = { query: "?", header: "#" }

const operationsOf = (spec: Spec): ReadonlyArray<TextOperation> =>
  Object.entries(spec.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const content = operation.requestBody?.content ?? {}
      const fields = [
        ...Object.values(content).flatMap(({ schema }) => textsIn(spec, schema, "")),
        ...(operation.parameters ?? []).flatMap((one) =>
          parameterMarks[one.in] !== undefined && textsIn(spec, one.schema, "").length > 0
            ? [`${parameterMarks[one.in]}${one.name}`]
            : []
        )
      ]
      return {
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        secured: (operation.security ?? []).flatMap((each) => Object.keys(each)),
        isForm: "multipart/form-data" in content,
        fields: [...new Set(fields)]
      }
    })
  )

/** Every operation with all text fields of its request, by the station's own description. */
export const publicOperations = operationsOf(JSON.parse(JSON.stringify(OpenApi.fromApi(Api))) as Spec)
export const operatorOperations = operationsOf(JSON.parse(JSON.stringify(OpenApi.fromApi(OpsApi))) as Spec)

// oxlint-disable-next-line typescript/no-explicit-any
type Json = any

/** The body with this text at that position, and the objects on its path. */
export const withText = (body: object, pointer: string, text: string): object => {
  const whole = structuredClone(body) as Json
  const steps = pointer
    .slice(1)
    .split("/")
    .flatMap((step) => (step.endsWith("[]") ? [step.slice(0, -2), 0] : [step]))
  let at = whole
  for (const [n, step] of steps.entries()) {
    if (n === steps.length - 1) at[step] = text
    else at = at[step] ??= typeof steps[n + 1] === "number" ? [] : {}
  }
  return whole
}
