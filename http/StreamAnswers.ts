import type { ServerResponse } from "node:http"
import { gzipSync } from "node:zlib"
import type { LiveAnswer, LiveObject } from "../engine/ports/Live.ts"
import { Busy, InternalError, InvalidField, NotFound } from "../schema/Problems.ts"
import { bareProblem, type Refusal, sendProblem } from "./BareProblem.ts"

/** The stream is everybody's: pages of any origin may read it, and all that its answers say. */
export const openToAll = {
  "access-control-allow-origin": "*", "access-control-allow-headers": "*", "access-control-expose-headers": "*", "access-control-allow-methods": "GET, HEAD, OPTIONS"
} as const

/** Named, and not with the weight that means never. */
const takesGzip = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i

/** How the stream answers on the bare server: bytes that lie ready, or a refusal in the one form of the house. */
export class StreamAnswers {
  readonly #publicUrl: string
  readonly #requestId: () => string
  readonly #onFault: (requestId: string, fault: unknown) => void
  readonly #gzipped = new WeakMap<Uint8Array, Buffer>()

  constructor(options: { readonly publicUrl: string; readonly requestId: () => string; readonly onFault: (requestId: string, fault: unknown) => void }) {
    this.#publicUrl = options.publicUrl
    this.#requestId = options.requestId
    this.#onFault = options.onFault
  }

  refuse(response: ServerResponse, refusal: Refusal, headers: Readonly<Record<string, string>> = {}): void {
    sendProblem(response, bareProblem(this.#publicUrl, this.#requestId(), refusal), { ...openToAll, ...headers })
  }

  /** Whatever went wrong, who asked gets an answer. */
  fault(response: ServerResponse, fault: unknown): void {
    const requestId = this.#requestId()
    this.#onFault(requestId, fault)
    // Half an answer can only be cut off: that is how the other side sees that it isn't whole.
    if (response.headersSent) return void response.destroy()
    sendProblem(response, bareProblem(this.#publicUrl, requestId, new InternalError({ detail: `The station's people find it under ${requestId}.` })), openToAll)
  }

  found(response: ServerResponse, object: LiveObject): void {
    const isPlaylist = object.contentType.includes("mpegurl")
    const packs = isPlaylist && takesGzip.test(String(response.req.headers["accept-encoding"] ?? ""))
    const body = packs ? this.#packed(object.body) : object.body
    response.writeHead(200, {
      ...openToAll,
      "content-type": object.contentType,
      "content-length": body.length,
      "cache-control": object.maxAgeSec === 0 ? "no-cache" : `public, max-age=${object.maxAgeSec}`,
      ...(isPlaylist ? { vary: "accept-encoding" } : {}),
      ...(packs ? { "content-encoding": "gzip" } : {})
    })
    response.end(response.req.method === "HEAD" ? undefined : body)
  }

  answer(response: ServerResponse, answer: LiveAnswer): void {
    switch (answer._tag) {
      case "Found":
        return this.found(response, answer.object)
      case "Impossible":
        return this.refuse(response, new InvalidField({ detail: answer.detail }))
      case "Gone":
        return this.refuse(response, new NotFound({ detail: answer.detail ?? "That part of the stream is not here, or not any more. Reload the playlist." }))
      case "Late":
        return this.refuse(response, new Busy({ detail: "The part is late. Ask again.", retryAfterSec: 1 }))
    }
  }

  #packed(body: Uint8Array): Buffer {
    const packed = this.#gzipped.get(body) ?? gzipSync(body, { level: 3 })
    this.#gzipped.set(body, packed)
    return packed
  }
}
