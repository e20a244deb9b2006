import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Webhook } from "standardwebhooks"

export interface Callback {
  readonly type: string
  readonly data: Record<string, unknown>
}

/** A web server that receives webhooks and accepts those with a valid signature. */
export const listenForCallbacks = async () => {
  const came: Array<{ readonly headers: Record<string, string>; readonly body: string }> = []
  const believed: Array<Callback> = []
  let webhook: Webhook | null = null
  /** Verified on arrival: a signature expires after minutes. */
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
    /** The station's signing secret, once it is known. */
    trust: (secret: string) => {
      webhook = new Webhook(secret)
      believe()
    },
    /** Messages so far, verified with the `standardwebhooks` library. */
    listVerified: (): ReadonlyArray<Callback> => believed,
    close: () => void server.close()
  }
}
