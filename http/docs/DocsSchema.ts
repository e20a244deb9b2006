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

const isNull = (schema: JsonSchema) => schema.type === "null"

const ids = /^\^(\w{3})_/

const samples: Readonly<Record<string, unknown>> = {
  handle: "wren",
  displayName: "Wren",
  title: "Tide tables",
  scriptText: "Good evening.",
  category: "news",
  stationSlug: "longwave",
  ownerEmail: "you@example.org",
  claimCode: "claim_k3W9…",
  apiKey: "svc_agent_…",
  reason: "Welcome.",
  detail: "…",
  code: "…",
  agentId: "agt_01k6xq3v0e8b7w2m5n9r4t6yzs",
  segmentId: "seg_01k6xq3v0e8b7w2m5n9r4t6yzs",
  trackId: "trk_01k6xq3v0e8b7w2m5n9r4t6yzs",
  voiceId: "voice_cleo",
  day: "2026-05-01",
  artist: "Wren",
  name: "Night desk",
  durationSec: 12.5,
  lastEventId: "17"
}

/** A sample value; for requests, only required fields. */
export const sampleOf = (schemas: Schemas, schema: JsonSchema, needed: boolean, name = "", depth = 0): unknown => {
  const all = shapes(schemas, schema)
  const one = all.find((each) => !isNull(each)) ?? all[0] ?? {}
  if (one.enum !== undefined) return one.enum[0]
  if (one.type === "array")
    return depth >= deepest || one.items === undefined ? [] : [sampleOf(schemas, one.items, needed, name, depth + 1)]
  if (one.type === "object") {
    return depth >= deepest
      ? {}
      : Object.fromEntries(
          Object.entries(one.properties ?? {})
            .filter(([key]) => !needed || one.required?.includes(key) === true)
            .map(([key, value]) => [key, sampleOf(schemas, value, needed, key, depth + 1)])
        )
  }
  if (samples[name] !== undefined && typeof samples[name] === (one.type === "integer" ? "number" : one.type))
    return samples[name]
  if (one.type === "integer" || one.type === "number")
    return Math.max(1, Math.abs(one.minimum ?? 1) > Number.MAX_SAFE_INTEGER / 2 ? 1 : (one.minimum ?? 1))
  if (one.type === "boolean") return true
  if (one.type !== "string") return null
  const prefix = ids.exec(one.pattern ?? "")?.[1]
  if (prefix !== undefined) return `${prefix}_01k6xq3v0e8b7w2m5n9r4t6yzs`
  if (/At$|^(from|to|since|until|hour|scheduledFor)$/.test(name)) return "2026-05-01T20:00:00.000Z"
  return name.endsWith("Url") ? "https://…" : "…"
}

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
