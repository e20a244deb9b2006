import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Webhook } from "standardwebhooks"

export interface Callback {
  readonly type: string
  readonly data: Record<string, unknown>
}

/** Somebody's web server that takes webhooks, and believes those whose signature is right. */
export const listenForCallbacks = async () => {
  const came: Array<{ readonly headers: Record<string, string>; readonly body: string }> = []
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk)).on("end", () => {
      came.push({ headers: request.headers as Record<string, string>, body: Buffer.concat(chunks).toString() })
      response.writeHead(204).end()
    })
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    /** Those that have come so far, verified by the library that anybody would use. */
    verified: (secret: string): ReadonlyArray<Callback> => came.map(({ body, headers }) => new Webhook(secret).verify(body, headers) as Callback),
    close: () => void server.close()
  }
}
