import { Effect, Queue } from "effect"
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Webhook } from "standardwebhooks"

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Response of an endpoint. */
export type Manner = (response: ServerResponse, request: IncomingMessage) => void

export const accept: Manner = (response) => void response.writeHead(200).end("thank you")
export const answerWith =
  (status: number, headers: Record<string, string> = {}): Manner =>
  (response) =>
    void response.writeHead(status, headers).end()
export const hang: Manner = () => {}

/** A real server on this machine that keeps its requests; `manners` sets the response of each path, and may change. */
export const hookServer = (manners: Record<string, Manner> = {}) =>
  Effect.gen(function* () {
    const received: Array<Received> = []
    const arrivals = yield* Queue.unbounded<Received>()
    const server = createServer((request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => void chunks.push(chunk))
      request.on("end", () => {
        const message = { path: request.url!, headers: request.headers, body: Buffer.concat(chunks).toString() }
        received.push(message)
        Queue.offerUnsafe(arrivals, message)
        ;(manners[request.url!] ?? accept)(response, request)
      })
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () =>
        Effect.sync(() => {
          server.closeAllConnections()
          server.close()
        })
    )
    const { port } = server.address() as AddressInfo
    return { manners, received, next: Queue.take(arrivals), at: (path: string) => `http://127.0.0.1:${port}${path}` }
  })

export interface Payload {
  readonly type: string
  readonly timestamp: string
  readonly data: Record<string, unknown> & { readonly id: string; readonly agentId: string }
}

/** The payload, if it is signed with this secret; throws otherwise. */
export const verify = (secret: string, { body, headers }: Received): Payload =>
  new Webhook(secret).verify(body, headers as Record<string, string>) as Payload
