interface Declared {
  readonly properties: Readonly<Record<string, { readonly enum?: ReadonlyArray<unknown> }>>
  readonly required?: ReadonlyArray<string>
  readonly additionalProperties?: unknown
}

/** Members that every problem has as it is sent. */
const always = ["status", "title", "instance", "errors", "requestId"] as const

const typeOf = (part: unknown): string | null => {
  const named = (part as Partial<Declared> | null)?.properties?.["type"]?.enum?.[0]
  return typeof named === "string" && named.startsWith("/problems/") ? named : null
}

/**
 * A problem as it is sent. Its declaration has a relative `type` and none of the members that the server adds, has the Retry-After header as a
 * member, and excludes members that later versions may have.
 */
const sentForm = ({ properties, required = [], ...schema }: Declared, type: string) => {
  const members = Object.fromEntries(
    Object.entries(properties).filter(([name]) => name !== "retryAfterSec" && name !== "type")
  )
  return {
    ...Object.fromEntries(Object.entries(schema).filter(([name]) => name !== "additionalProperties")),
    properties: {
      type: { type: "string", format: "uri", pattern: `^https?://.+${type}$` },
      ...members,
      instance: { type: "string", pattern: "^urn:request:" },
      requestId: { type: "string" },
      ...(members["status"]?.enum?.[0] === 429 ? { error: { type: "string", enum: ["rate_limited"] } } : {})
    },
    required: [...new Set([...required, ...always])]
  }
}

/** The same description with every problem as it is sent. */
export const withSentProblems = (part: unknown): unknown => {
  if (Array.isArray(part)) return part.map(withSentProblems)
  if (typeof part !== "object" || part === null) return part
  const type = typeOf(part)
  return type === null
    ? Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, withSentProblems(inner)]))
    : sentForm(part as unknown as Declared, type)
}

/** Problems of the envelope around the interface, which any operation may answer with. */
const ofAll = { 400: "invalid-field", 429: "rate-limited", 500: "internal-error", 503: "busy" } as const

interface Responses {
  [status: string]: { readonly description: string; readonly content?: Record<string, { readonly schema: unknown }> }
}

const problemType = "application/problem+json"

/** Adds the envelope's problems to the responses of an operation that does not declare them. */
export const withEnvelope = (responses: Responses, schemas: Readonly<Record<string, unknown>>): void => {
  for (const [status, name] of Object.entries(ofAll)) {
    const found = Object.entries(schemas).find(([, schema]) =>
      (
        schema as { readonly properties?: { readonly type?: { readonly pattern?: string } } }
      ).properties?.type?.pattern?.endsWith(`/problems/${name}$`)
    )
    if (found === undefined) continue
    const schema = { $ref: `#/components/schemas/${found[0]}` }
    const before = responses[status]
    const declared = before?.content?.[problemType]?.schema
    if (declared !== undefined && JSON.stringify(declared).includes(`"${schema.$ref}"`)) continue
    responses[status] = {
      description: before?.description ?? (found[1] as { readonly description?: string }).description ?? "A refusal.",
      content: {
        ...before?.content,
        [problemType]: { schema: declared === undefined ? schema : { anyOf: [declared, schema] } }
      }
    }
  }
}
