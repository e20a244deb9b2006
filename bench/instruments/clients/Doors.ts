import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"

export interface Answered {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

/** An interface of a station: operations by method and path, with their arguments in one object. */
export interface Door {
  readonly name: string
  readonly use: (method: string, path: string, given?: Record<string, unknown>) => Promise<Answered>
  /** The same interface with this key. */
  readonly withKey: (key: string) => Promise<Door>
  readonly close: () => Promise<void>
}

const refuse = (method: string, path: string, { body, status }: Answered): Error =>
  new Error(`${method} ${path}: ${status} ${JSON.stringify(body)}`)

/** The answer of an operation; a refusal ends the run with the station's problem document. */
export const use = async (door: Door, method: string, path: string, given: Record<string, unknown> = {}) => {
  const answered = await door.use(method, path, given)
  if (answered.status >= 400) throw refuse(method, path, answered)
  return answered.body
}

/** Plain HTTP: path parameters go into the path, the others into the query of a read or the body of a write. */
export const httpDoor = (base: string, key?: string): Door => ({
  name: "HTTP",
  use: async (method, path, given = {}) => {
    const rest = { ...given }
    const url = new URL(
      path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
        const value = String(rest[name])
        delete rest[name]
        return encodeURIComponent(value)
      }),
      base
    )
    const inQuery = method === "GET" || method === "DELETE"
    if (inQuery) for (const [name, value] of Object.entries(rest)) url.searchParams.set(name, String(value))
    const hasBody = !inQuery && Object.keys(rest).length > 0
    const response = await fetch(url, {
      method,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(hasBody ? { "content-type": "application/json" } : {})
      },
      ...(hasBody ? { body: JSON.stringify(rest) } : {})
    })
    return { status: response.status, body: await response.json() }
  },
  withKey: async (other) => httpDoor(base, other),
  close: async () => undefined
})

/** The Model Context Protocol with the official client: the tool's description names the operation's method and path. */
export const mcpDoor = async (base: string, key?: string): Promise<Door> => {
  const client = new Client({ name: "demo", version: "1.0.0" })
  const transport = new StreamableHTTPClientTransport(
    new URL("/api/mcp?toolset=all", base),
    key === undefined ? {} : { requestInit: { headers: { authorization: `Bearer ${key}` } } }
  )
  await client.connect(transport as Parameters<Client["connect"]>[0])
  const { tools } = await client.listTools()
  return {
    name: "MCP",
    use: async (method, path, given = {}) => {
      const tool = tools.find(
        ({ description }) =>
          description?.includes(`(${method} ${path}`) === true &&
          (description.includes(`(${method} ${path})`) || description.includes(`(${method} ${path};`))
      )
      if (tool === undefined) throw new Error(`no tool for ${method} ${path}`)
      const result = await client.callTool({ name: tool.name, arguments: given })
      return {
        status: (result._meta as { readonly http: { readonly status: number } }).http.status,
        body:
          result.structuredContent ?? JSON.parse((result.content as ReadonlyArray<{ readonly text: string }>)[0]!.text)
      }
    },
    withKey: (other) => mcpDoor(base, other),
    close: () => client.close()
  }
}
