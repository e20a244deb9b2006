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
  const believed: Array<Callback> = []
  let webhook: Webhook | null = null
  /** As it comes: minutes later a signature is too old to be believed. */
  const believe = () => {
    if (webhook !== null)
      for (const { body, headers } of came.splice(0)) believed.push(webhook.verify(body, headers) as Callback)
  }
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request
      .on("data", (chunk: Buffer) => chunks.push(chunk))
      .on("end", () => {
        came.push({ headers: request.headers as Record<string, string>, body: Buffer.concat(chunks).toString() })
        believe()
        response.writeHead(204).end()
      })
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    /** What the station signs with, once it has said so. */
    trust: (secret: string) => {
      webhook = new Webhook(secret)
      believe()
    },
    /** Those that have come so far, verified by the library that anybody would use. */
    verified: (): ReadonlyArray<Callback> => believed,
    close: () => void server.close()
  }
}
