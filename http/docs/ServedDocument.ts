interface Media {
  readonly example?: unknown
}
interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, unknown>>
}
interface Described<Described extends Operation> {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: object
}

const mapValues = <A, B>(of: Readonly<Record<string, A>>, map: (value: A, key: string) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(of).map(([key, value]) => [key, map(value, key)]))

/** For `JSON.stringify`: leaves out the bounds that every whole number has. */
export const withoutSafeBounds = (key: string, value: unknown): unknown =>
  (key === "minimum" && value === Number.MIN_SAFE_INTEGER) || (key === "maximum" && value === Number.MAX_SAFE_INTEGER)
    ? undefined
    : value

/**
 * The description as it is served. A refusal that operations share is described once, among the components: written out for each, refusals
 * would be a third of the document. The reference shows `callOf` as the operation's call, because calls that it makes itself hold every
 * optional parameter. It looks for a body under the name that the parameters' examples have.
 */
export const servedDocument = <Op extends Operation, Spec extends Described<Op>>(
  spec: Spec,
  callOf: (method: string, path: string, operation: Op) => string
) => {
  const names = new Map<string, string>()
  const responses: Record<string, unknown> = {}
  const counts = new Map<string, number>()
  const share = (response: unknown, status: string): unknown => {
    if (Number(status) < 400) return response
    const text = JSON.stringify(response)
    let name = names.get(text)
    if (name === undefined) {
      const count = (counts.get(status) ?? 0) + 1
      counts.set(status, count)
      name = `Refusal${status}${count === 1 ? "" : `_${count}`}`
      names.set(text, name)
      responses[name] = response
    }
    return { $ref: `#/components/responses/${name}` }
  }
  const nameExample = ({ example, ...media }: Media): object =>
    example === undefined ? media : { ...media, examples: { example: { value: example } } }
  const paths = mapValues(spec.paths, (methods, path) =>
    mapValues(methods, (operation, method) => ({
      ...operation,
      ...(operation.requestBody === undefined
        ? {}
        : {
            requestBody: { ...operation.requestBody, content: mapValues(operation.requestBody.content, nameExample) }
          }),
      responses: mapValues(operation.responses, share),
      "x-codeSamples": [{ lang: "curl", label: "curl", source: callOf(method.toUpperCase(), path, operation) }]
    }))
  )
  return { ...spec, paths, components: { ...spec.components, responses } }
}
