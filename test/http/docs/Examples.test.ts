import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import { Schema } from "effect"
import { HttpApi, type HttpApiEndpoint } from "effect/http-api"
import { describe, expect, it } from "vitest"
import { Api } from "../../../http/api/Api.ts"
import { OpsApi } from "../../../http/api/OpsApi.ts"
import type { JsonSchema } from "../../../http/docs/DocsSchema.ts"
import { describeApi } from "../../../http/docs/DocsSecurity.ts"
import { withExamples } from "../../../http/docs/Examples.ts"

interface Media {
  readonly schema: JsonSchema & { readonly format?: string }
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value?: unknown; readonly $ref?: string }>>
}

interface Operation {
  readonly operationId: string
  readonly parameters?: ReadonlyArray<{
    readonly name: string
    readonly in: string
    readonly schema: JsonSchema
    readonly required?: boolean
    readonly example?: unknown
    readonly examples?: { readonly example: { readonly value: unknown; readonly "x-disabled": boolean } }
  }>
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly examples: Readonly<Record<string, { readonly value: unknown }>>
  }
}

const documentOf = (api: unknown): Document =>
  JSON.parse(JSON.stringify(withExamples(describeApi(api as typeof Api)))) as Document

type Parameter = NonNullable<Operation["parameters"]>[number]
const exampleOf = ({ example, examples }: Parameter): unknown => example ?? examples?.example.value

/** Files and streams of sound, which a page can't show. */
const isBinary = ({ schema }: Media): boolean => schema.format === "binary"

describe.each([
  ["agents", Api, documentOf(Api)],
  ["operators", OpsApi, documentOf(OpsApi)]
] as const)("the OpenAPI document for %s", (_, api, document) => {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      operation,
      media: [
        ...Object.entries(operation.requestBody?.content ?? {}).map(([type, media]) => ["body", type, media] as const),
        ...Object.entries(operation.responses).flatMap(([status, { content }]) =>
          Object.entries(content ?? {}).map(([type, media]) => [status, type, media] as const)
        )
      ]
    }))
  )
  const valuesOf = ({ example, examples }: Media): ReadonlyArray<unknown> => [
    ...(example === undefined ? [] : [example]),
    ...Object.values(examples ?? {}).map(({ $ref, value }) =>
      $ref === undefined ? value : document.components.examples[$ref.split("/").at(-1)!]!.value
    )
  ]

  it("has an example of every parameter, body, answer and field", () => {
    const lacking: Array<string> = []
    const walk = (schema: JsonSchema, where: string, isShown: boolean): void => {
      const shown = isShown || schema.examples !== undefined
      for (const [name, field] of Object.entries(schema.properties ?? {})) walk(field, `${where}.${name}`, false)
      for (const part of [...(schema.anyOf ?? []), ...(schema.items === undefined ? [] : [schema.items])])
        walk(part, where, shown)
      const isLeaf = schema.$ref === undefined && schema.anyOf === undefined && schema.items === undefined
      const isOpen = isLeaf && schema.properties === undefined && schema.type !== "null"
      if (isOpen && !shown && (schema as Media["schema"]).format !== "binary") lacking.push(where)
    }
    for (const [name, schema] of Object.entries(document.components.schemas)) walk(schema, name, false)
    for (const { media, name, operation } of operations) {
      for (const parameter of operation.parameters ?? []) {
        if (exampleOf(parameter) === undefined) lacking.push(`${name} ${parameter.name}`)
        // What need not be sent is sent by nobody who only tries the operation.
        if (parameter.required !== true && parameter.examples?.example["x-disabled"] !== true)
          lacking.push(`${name} ${parameter.name} would be sent`)
      }
      for (const [where, type, one] of media) {
        if (isBinary(one)) continue
        const values = valuesOf(one)
        if (values.length === 0 || values.includes(undefined)) lacking.push(`${name} ${where} ${type}`)
        walk(one.schema, `${name} ${where}`, !type.includes("json") || type.includes("ndjson"))
      }
    }
    expect(lacking).toEqual([])
  })

  it("shows values of fields, and refusals, that its schemas admit", () => {
    const validator = new Ajv2020({ strict: false, validateSchema: false, validateFormats: false, allErrors: true })
    validator.addSchema(document, "document")
    const faults: Array<string> = []
    const check = (where: string, validate: ValidateFunction, values: ReadonlyArray<unknown>): void => {
      for (const value of values)
        if (!validate(value))
          faults.push(...validate.errors!.map(({ instancePath, message }) => `${where} ${instancePath} ${message}`))
    }
    // Most fields have one of a few hundred schemas.
    const compiled = new Map<string, ValidateFunction>()
    const checkFields = ({ examples, ...schema }: JsonSchema, where: string): void => {
      if (examples !== undefined) {
        const key = JSON.stringify(schema)
        const validate = compiled.get(key) ?? validator.compile(JSON.parse(key.replaceAll('"#/', '"document#/')))
        compiled.set(key, validate)
        check(where, validate, examples)
      }
      for (const [name, field] of Object.entries(schema.properties ?? {})) checkFields(field, `${where}.${name}`)
      for (const part of [...(schema.anyOf ?? []), ...(schema.items === undefined ? [] : [schema.items])])
        checkFields(part, where)
    }
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      checkFields(schema, name)
      const refusal = document.components.examples[name.replace(/Encoded$/, "")]
      if (refusal !== undefined)
        check(name, validator.getSchema(`document#/components/schemas/${name}`)!, [refusal.value])
    }
    for (const { media, name } of operations)
      for (const [where, type, one] of media) if (!type.includes("problem")) checkFields(one.schema, `${name} ${where}`)
    expect(faults).toEqual([])
  })

  it("shows examples that the station's own schemas decode", () => {
    const failures: Array<string> = []
    const decodes = (schema: unknown, value: unknown): string | null => {
      const result = Schema.decodeUnknownResult(schema as Schema.Codec<unknown>)(value, { errors: "all" })
      return result._tag === "Success" ? null : String(result.failure)
    }
    const note = (where: string, schemas: ReadonlyArray<unknown>, value: unknown): void => {
      const said = schemas.map((schema) => decodes(schema, value))
      if (said.length > 0 && said.every((fault) => fault !== null)) failures.push(`${where}: ${said.join(" / ")}`)
    }
    HttpApi.reflect(api as typeof Api, {
      onGroup: () => undefined,
      onEndpoint: ({ endpoint }: { readonly endpoint: HttpApiEndpoint.Top }) => {
        const path = endpoint.path.replaceAll(/:(\w+)/g, "{$1}")
        const operation = document.paths[path]![endpoint.method.toLowerCase()]!
        const name = `${endpoint.method} ${path}`
        for (const [where, schema] of [
          ["path", endpoint.params],
          ["query", endpoint.query],
          ["header", endpoint.headers]
        ] as const)
          if (schema !== undefined)
            note(
              `${name} ${where}`,
              [schema],
              Object.fromEntries(
                (operation.parameters ?? [])
                  .filter((parameter) => parameter.in === where)
                  .map((parameter) => [parameter.name, exampleOf(parameter)])
              )
            )
        const bodies = [...endpoint.payload.values()].flatMap(({ schemas }) => schemas as ReadonlyArray<unknown>)
        const body = operation.requestBody?.content["application/json"]
        if (body !== undefined) for (const value of valuesOf(body)) note(`${name} body`, bodies, value)
        for (const [status, { content }] of Object.entries(operation.responses)) {
          const answer = content?.["application/json"]
          if (Number(status) < 400 && answer !== undefined)
            for (const value of valuesOf(answer)) note(`${name} ${status}`, [...endpoint.success], value)
        }
      }
    })
    expect(failures).toEqual([])
  })
})
