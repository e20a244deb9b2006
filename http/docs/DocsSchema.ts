/** The part of JSON Schema that the API description uses. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
  readonly description?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly allOf?: ReadonlyArray<JsonSchema>
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly items?: JsonSchema
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly additionalProperties?: JsonSchema | boolean
  readonly examples?: ReadonlyArray<unknown>
}

export type Schemas = Readonly<Record<string, JsonSchema>>

const deepest = 6

export const resolve = (schemas: Schemas, schema: JsonSchema): JsonSchema => {
  if (schema.$ref !== undefined) return resolve(schemas, schemas[schema.$ref.split("/").at(-1)!] ?? {})
  return schema.allOf === undefined
    ? schema
    : schema.allOf.reduce<JsonSchema>((all, part) => ({ ...all, ...resolve(schemas, part) }), schema)
}

/** The alternatives of a union. */
export const shapes = (schemas: Schemas, schema: JsonSchema): ReadonlyArray<JsonSchema> => {
  const whole = resolve(schemas, schema)
  return whole.anyOf === undefined ? [whole] : whole.anyOf.flatMap((part) => shapes(schemas, part))
}

export const isNull = (schema: JsonSchema) => schema.type === "null"

const ids = /^\^(\w{3})_/

const bounds = (least: number | undefined, most: number | undefined, unit: string): string => {
  const low = least === undefined || Math.abs(least) >= Number.MAX_SAFE_INTEGER ? undefined : least
  const high = most === undefined || Math.abs(most) >= Number.MAX_SAFE_INTEGER ? undefined : most
  if (low === undefined && high === undefined) return ""
  return low !== undefined && high !== undefined
    ? `, ${low} to ${high}${unit}`
    : low !== undefined
      ? `, at least ${low}${unit}`
      : `, at most ${high}${unit}`
}

const typeOfOne = (schemas: Schemas, one: JsonSchema): string => {
  if (one.enum !== undefined) return one.enum.map((value) => JSON.stringify(value)).join(" | ")
  if (one.type === "array")
    return `list of ${one.items === undefined ? "anything" : typeOf(schemas, one.items)}${bounds(one.minItems, one.maxItems, " entries")}`
  const prefix = ids.exec(one.pattern ?? "")?.[1]
  if (prefix !== undefined) return `id, ${prefix}_ and 26 characters`
  if (one.pattern?.startsWith("^[+-]?") === true) return "number"
  if (one.type === "string") return `text${bounds(one.minLength, one.maxLength, " characters")}`
  return `${one.type ?? "anything"}${bounds(one.minimum, one.maximum, "")}`
}

/** A type in words, with its bounds. */
export const typeOf = (schemas: Schemas, schema: JsonSchema): string =>
  [...new Set(shapes(schemas, schema).map((one) => typeOfOne(schemas, one)))].join(" | ")

export interface Field {
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly fields: ReadonlyArray<Field>
}

/** Fields of an object, including those of objects in lists. */
export const fieldsOf = (schemas: Schemas, schema: JsonSchema, depth = 0): ReadonlyArray<Field> => {
  if (depth >= deepest) return []
  const objects = shapes(schemas, schema)
    .flatMap((one) => (one.type === "array" && one.items !== undefined ? shapes(schemas, one.items) : [one]))
    .filter(({ type }) => type === "object")
  return objects.flatMap((one) =>
    Object.entries(one.properties ?? {}).map(([name, value]) => ({
      name,
      type: typeOf(schemas, value),
      required: one.required?.includes(name) === true,
      fields: fieldsOf(schemas, value, depth + 1)
    }))
  )
}
