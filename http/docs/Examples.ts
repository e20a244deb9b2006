import { isNull, type JsonSchema, resolve, type Schemas, shapes } from "./DocsSchema.ts"
import { exampleId, idPrefixes, instants, recordKeys, stationBase, texts, values } from "./ExampleValues.ts"
import { problemList } from "./ProblemPages.ts"

const singularOf = (name: string): string => name.replace(/ies$/, "y").replace(/s$/, "")

/** Whether the schema of a field that holds no other fields admits the value. */
const admits = (one: JsonSchema, value: unknown): boolean => {
  if (value === undefined) return false
  if (one.enum !== undefined) return one.enum.includes(value)
  if (one.type === undefined) return true
  if (one.type === "string")
    return (
      typeof value === "string" &&
      value.length >= (one.minLength ?? 0) &&
      value.length <= (one.maxLength ?? Infinity) &&
      (one.pattern === undefined || new RegExp(one.pattern, "u").test(value))
    )
  if (one.type === "object") return typeof value === "object" && value !== null && !Array.isArray(value)
  if (one.type === "boolean") return typeof value === "boolean"
  return (
    typeof value === "number" &&
    (one.type === "number" || Number.isInteger(value)) &&
    value >= (one.minimum ?? -Infinity) &&
    value <= (one.maximum ?? Infinity)
  )
}

/** An address of the station for a field such as `audioUrl` or `claim_uri`. */
const addressOf = (name: string): string =>
  `${stationBase}/${name
    .replace(/_?(url|uri|endpoint)$/i, "")
    .replaceAll(/([A-Z])/g, "-$1")
    .replaceAll("_", "-")
    .toLowerCase()}`

/** A number by the unit in the name of its field; counts are small. */
const numberOf = (name: string): number =>
  /(At|^since|Since)Ms$/.test(name)
    ? Date.parse("2026-05-01T20:00:00Z")
    : name.endsWith("Ms")
      ? 1_200
      : /Sec$|Seconds$/.test(name)
        ? 180
        : name.endsWith("Pct")
          ? 12
          : /Min(utes)?$/i.test(name)
            ? 30
            : 3

interface Place {
  readonly schemas: Schemas
  /** The operation's group; empty for the schemas that operations share. */
  readonly group: string
  /** Name of the field. */
  readonly name: string
  /** Name of the object around it. */
  readonly around: string
  /** Only required fields of objects. */
  readonly needed?: boolean
  /** Names of the schemas around it, so that one that holds itself ends. */
  readonly within?: ReadonlyArray<string>
}

/** Values for a field, best first: those of its schema, those of its name, and those that its name follows from. */
function* candidatesOf(one: JsonSchema, { around, group, name }: Place): Generator<unknown, void> {
  if (one.examples !== undefined) yield* one.examples
  const of = singularOf(around)
  for (const key of [`${group}/${of}.${name}`, `${group}/${name}`, `${around}.${name}`, `${of}.${name}`, name]) {
    const known = values[key]
    if (Array.isArray(known)) yield* known as ReadonlyArray<unknown>
    else yield known
  }
  const before = /^(.*?)Ids?$/.exec(name)?.[1]
  const prefix = name === "id" ? (idPrefixes[around] ?? idPrefixes[of]) : idPrefixes[before ?? ""]
  if (prefix !== undefined) yield exampleId(prefix)
  yield instants[name]
  if (name.endsWith("At")) yield "2026-05-01T20:00:00.000Z"
  if (/^(url|.*(Url|_url|_uri|_endpoint))s?$/.test(name)) yield addressOf(singularOf(name))
  const { enum: members, maximum, minimum, pattern, type } = one
  if (pattern?.includes("/problems/") === true)
    yield pattern.replace(/^.*(?=\/problems)/, stationBase).replace(/\$$/, "")
  if (members !== undefined) yield* members
  if (type === "boolean") yield true
  if (type === "integer" || type === "number") yield* [numberOf(name), minimum, maximum]
  if (pattern?.startsWith("^[+-]") === true) yield String(numberOf(name))
}
const firstAdmitted = (one: JsonSchema, place: Place): unknown => {
  for (const value of candidatesOf(one, place)) if (admits(one, value)) return value
  return undefined
}

const refOf = ({ $ref }: JsonSchema): string | undefined => $ref?.split("/").at(-1)

const listOf = (one: JsonSchema, place: Place): ReadonlyArray<unknown> => {
  const items = one.items ?? {}
  const known = [`${place.around}.${place.name}`, place.name].map((key) => values[key]).find(Array.isArray)
  const entries = (known ?? []).filter((value) => shapes(place.schemas, items).some((shape) => admits(shape, value)))
  if (entries.length > 0) return entries.slice(0, one.maxItems)
  const entry = exampleOf(items, place)
  return entry === undefined ? [] : Array.from({ length: Math.max(1, one.minItems ?? 0) }, () => entry as unknown)
}

const objectOf = (one: JsonSchema, place: Place, within: ReadonlyArray<string>): unknown => {
  if (one.properties !== undefined)
    return Object.fromEntries(
      Object.entries(one.properties)
        .filter(([name]) => place.needed !== true || one.required?.includes(name) === true)
        .map(([name, inner]) => [name, exampleOf(inner, { ...place, name, around: place.name, within })] as const)
        .filter(([, value]) => value !== undefined)
    )
  if (typeof one.additionalProperties === "object") {
    const key = recordKeys[place.name]
    const value = exampleOf(one.additionalProperties, { ...place, within })
    return key === undefined || value === undefined ? undefined : { [key]: value }
  }
  return firstAdmitted(one, place)
}

/** An example of one shape of a schema: of its union members, this one. Undefined if nothing is known that it admits. */
const exampleOfShape = (shape: JsonSchema, place: Place, within: ReadonlyArray<string>): unknown => {
  const one = resolve(place.schemas, shape)
  if (one.type === "object") return objectOf(one, place, within)
  if (one.type === "array") return listOf(one, { ...place, within })
  if (isNull(one)) return null
  return firstAdmitted(one, place)
}

/** An example that the schema admits, made of its own examples and of values for fields of this name. */
export const exampleOf = (schema: JsonSchema, place: Place): unknown => {
  const ref = refOf(schema)
  const before = place.within ?? []
  if (ref !== undefined && before.includes(ref)) return undefined
  const within = ref === undefined ? before : [...before, ref]
  const own = schema.examples?.[0]
  if (own !== undefined) return own
  const whole = resolve(place.schemas, schema)
  const members = whole.anyOf ?? [whole]
  const made = members
    .filter((member) => !isNull(member))
    .map((member) =>
      member.anyOf === undefined && member.$ref === undefined
        ? exampleOfShape(member, place, within)
        : exampleOf(member, { ...place, within })
    )
  return made.find((value) => value !== undefined) ?? (members.some(isNull) ? null : undefined)
}

/** The schema with examples at every field that holds no other fields. */
const withFieldExamples = (schema: JsonSchema, place: Omit<Place, "needed" | "within">): JsonSchema => {
  const inner = (one: JsonSchema): JsonSchema => ({
    ...one,
    ...(one.anyOf === undefined ? {} : { anyOf: one.anyOf.map(inner) }),
    ...(one.allOf === undefined ? {} : { allOf: one.allOf.map(inner) }),
    ...(one.items === undefined ? {} : { items: inner(one.items) }),
    ...(one.properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(one.properties).map(([name, field]) => [
              name,
              withFieldExamples(field, { ...place, name, around: place.name })
            ])
          )
        })
  })
  const made = inner(schema)
  const isLeaf = shapes(place.schemas, schema).every(
    (one) =>
      one.properties === undefined &&
      !(
        one.type === "array" &&
        shapes(place.schemas, one.items ?? {}).some(({ properties }) => properties !== undefined)
      )
  )
  if (!isLeaf || schema.$ref !== undefined || schema.examples !== undefined) return made
  const example = exampleOf(schema, place)
  return example === undefined ? made : { ...made, examples: [example] }
}

interface Media {
  readonly schema: JsonSchema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, unknown>>
}
interface Described {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly operationId: string
            readonly parameters?: ReadonlyArray<{
              readonly name: string
              readonly schema: JsonSchema
              readonly required?: boolean
            }>
            readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
            readonly responses: Readonly<Record<string, Response>>
          }
        >
      >
    >
  >
  readonly components: { readonly schemas: Schemas }
}

const problemType = "application/problem+json"
const mapValues = <A, B>(of: Readonly<Record<string, A>>, map: (value: A, key: string) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(of).map(([key, value]) => [key, map(value, key)]))

/** A problem as an answer shows it: its title and advice are those of its code. */
const problemExample = (schemas: Schemas, name: string): unknown => {
  const schema = schemas[name]!
  const code = schema.properties?.["code"]?.enum?.[0]
  const about = problemList.find((each) => each.code === code)
  const made = exampleOf(schema, { schemas, group: "", name: "problem", around: "" }) as Record<string, unknown>
  return {
    ...made,
    type: `${stationBase}${about?.path ?? ""}`,
    ...(about === undefined ? {} : { detail: about.title }),
    ...(about === undefined || made["nextStep"] === undefined ? {} : { nextStep: about.whatToDo }),
    ...(made["errors"] === undefined
      ? {}
      : {
          errors:
            code === "MISSING_FIELDS" || code === "INVALID_FIELD"
              ? [{ pointer: "/title", code, detail: "is required" }]
              : []
        })
  }
}

/** A schema's name as that of a field: `SegmentEncoded` is a `segment`. */
const nameOf = (schema: string): string =>
  schema.replace(/Encoded$/, "").replace(/^./, (letter) => letter.toLowerCase())

const isDryRun = (schemas: Schemas, schema: JsonSchema): boolean =>
  resolve(schemas, schema).properties?.["dryRun"] !== undefined

/** The name in front of a parameter in a path: it says what the id is of. */
const nounBefore = (path: string, parameter: string): string | undefined =>
  new RegExp(`([^/{}]+)/\\{${parameter}\\}`).exec(path)?.[1]

interface Response {
  readonly content?: Readonly<Record<string, Media>>
}

/** Examples of a dry run with what the real request would answer. */
const withDryRun = (
  response: Response,
  real: { readonly status: number; readonly value: unknown } | undefined
): Response => {
  const media = response.content?.["application/json"]
  if (media === undefined || real === undefined) return response
  const fill = (value: unknown): unknown =>
    typeof value === "object" && value !== null && "wouldBe" in value && value.wouldBe === values["wouldBe"]
      ? { ...value, wouldBe: real.value, status: real.status }
      : value
  const filled = {
    ...media,
    ...(media.example === undefined ? {} : { example: fill(media.example) }),
    ...(media.examples === undefined
      ? {}
      : { examples: mapValues(media.examples, (one) => ({ value: fill((one as { readonly value: unknown }).value) })) })
  }
  return { ...response, content: { ...response.content, "application/json": filled } }
}

/**
 * The description with an example of every parameter, body and answer, and of every field. One place makes them all: an example that a
 * schema is annotated with comes first, then one that its operation was declared with, then one of `ExampleValues` by the field's name.
 */
export const withExamples = <Spec extends object>(spec: Spec): Spec => {
  const { components, paths } = spec as unknown as Described
  const schemas = components.schemas
  const problems = Object.keys(schemas).filter((name) => schemas[name]!.properties?.["instance"] !== undefined)
  const problemRefs = (schema: JsonSchema): Readonly<Record<string, unknown>> =>
    Object.fromEntries(
      (schema.anyOf ?? [schema]).flatMap((one) => {
        const name = refOf(one)
        return name === undefined
          ? []
          : [[name.replace(/Encoded$/, ""), { $ref: `#/components/examples/${name.replace(/Encoded$/, "")}` }] as const]
      })
    )
  const mediaOf = (media: Media, type: string, name: string, needed: boolean): Media => {
    if (type === problemType) return { ...media, examples: problemRefs(media.schema) }
    const schema = withFieldExamples(media.schema, { schemas, group: name, name, around: "" })
    const text = texts[type]
    if (text !== undefined) return { ...media, schema, example: media.example ?? text }
    const place = { schemas, group: name, name, around: "" }
    if (!needed) {
      const alternatives = shapes(schemas, media.schema).filter((one) => !isNull(one))
      if (alternatives.length > 1)
        return {
          ...media,
          schema,
          examples: Object.fromEntries(
            alternatives.map((one, at) => [
              isDryRun(schemas, one) ? "dryRun" : at === 0 ? "answer" : `answer${at + 1}`,
              { value: exampleOf(one, place) }
            ])
          )
        }
    }
    const short = needed ? exampleOf(media.schema, { ...place, needed }) : undefined
    const isShort = typeof short === "object" && short !== null && Object.keys(short).length > 0
    const example = media.example ?? (isShort ? short : exampleOf(media.schema, place))
    return example === undefined ? { ...media, schema } : { ...media, schema, example }
  }
  return {
    ...spec,
    paths: mapValues(paths, (methods, path) =>
      mapValues(methods, (operation) => {
        const name = operation.operationId.split(".")[0]!
        const answers = mapValues(operation.responses, (response, status) =>
          response.content === undefined
            ? response
            : {
                ...response,
                content: mapValues(response.content, (media, type) =>
                  mediaOf(media, type, Number(status) < 400 ? name : "problem", false)
                )
              }
        )
        const real = Object.entries(answers).flatMap(([status, { content }]) => {
          const media = content?.["application/json"]
          const value =
            media?.example ?? (media?.examples?.["answer"] as { readonly value: unknown } | undefined)?.value
          return media === undefined || value === undefined || isDryRun(schemas, media.schema)
            ? []
            : [{ status: Number(status), value }]
        })[0]
        return {
          ...operation,
          ...(operation.parameters === undefined
            ? {}
            : {
                parameters: operation.parameters.map((parameter) => {
                  const example = exampleOf(parameter.schema, {
                    schemas,
                    group: name,
                    name: parameter.name,
                    around: nounBefore(path, parameter.name) ?? name
                  })
                  if (example === undefined) return parameter
                  // A reference that sends requests sends a parameter with an example unless it is named so: the cursor of the example is none.
                  return parameter.required === true
                    ? { ...parameter, example }
                    : { ...parameter, examples: { example: { value: example, "x-disabled": true } } }
                })
              }),
          ...(operation.requestBody === undefined
            ? {}
            : {
                requestBody: {
                  ...operation.requestBody,
                  content: mapValues(operation.requestBody.content, (media, type) => mediaOf(media, type, name, true))
                }
              }),
          responses: mapValues(answers, (response) => withDryRun(response, real))
        }
      })
    ),
    components: {
      ...components,
      schemas: mapValues(schemas, (schema, name) =>
        withFieldExamples(schema, { schemas, group: "", name: nameOf(name), around: "" })
      ),
      examples: Object.fromEntries(
        problems.map((name) => [name.replace(/Encoded$/, ""), { value: problemExample(schemas, name) }])
      )
    }
  }
}
