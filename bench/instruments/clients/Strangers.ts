import { Agent, request, type OutgoingHttpHeaders } from "node:http"

/** All of 127/8 is this machine: each client has its own address, as on the internet. Each crowd has a network. */
export const networks = { listeners: 1, callers: 2, attackers: 3, attacker: 4, reconnecting: 5, stalled: 6 } as const
export const addressOf = (crowd: keyof typeof networks, index: number): string =>
  `127.${networks[crowd]}.${Math.floor(index / 250) % 250}.${1 + (index % 250)}`

export interface Asked {
  readonly method?: string
  readonly path: string
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string | Uint8Array
}

export interface Answered {
  /** "unanswered" if the connection ended before the answer. */
  readonly status: string
  readonly bytes: number
  readonly body: Buffer
}

const agents = new Map<string, Agent>()
const agentOf = (address: string): Agent => {
  const known = agents.get(address) ?? new Agent({ keepAlive: true, maxSockets: 64 })
  agents.set(address, known)
  return known
}

/** One request from this address, on a connection kept for the next one; never fails. */
export const ask = (
  port: number,
  localAddress: string,
  { body, headers, method = "GET", path }: Asked,
  agent: Agent | false = agentOf(localAddress)
) =>
  new Promise<Answered>((resolve) => {
    const chunks: Array<Buffer> = []
    let bytes = 0
    const finish = (status: string) => resolve({ status, bytes, body: Buffer.concat(chunks) })
    const asked = request(
      {
        host: "127.0.0.1",
        port,
        localAddress,
        agent,
        method,
        path,
        headers: { ...headers, ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }) }
      },
      (response) => {
        response.on("data", (chunk: Buffer) => {
          bytes += chunk.length
          chunks.push(chunk)
        })
        response.on("end", () => finish(String(response.statusCode)))
        response.on("error", () => finish("unanswered"))
      }
    )
    asked.on("error", () => finish("unanswered"))
    asked.end(body)
  })

export const countStatuses = (statuses: Iterable<string>): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1
  return counts
}
