import { gzipSync } from "node:zlib"
import type { LiveAnswer, LiveObject } from "../../engine/ports/Live.ts"
import { Busy, InternalError, InvalidField, NotFound } from "../../schema/Problems.ts"
import { fenceHeader } from "../../schema/air/Fence.ts"
import { renderBareProblem, type Refusal } from "./BareProblem.ts"
import type { Answer, Exchange } from "./Exchange.ts"

/** The stream is public: pages of any origin may read it with all its headers. */
export const openToAll = {
  "access-control-allow-origin": "*",
  "access-control-allow-headers": "*",
  "access-control-expose-headers": "*",
  "access-control-allow-methods": "GET, HEAD, OPTIONS"
} as const

/** Accepts the encoding by name, unless its weight is 0. */
const takesGzip = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i

/** Answers of the stream: prepared bytes, or an error in the common format. */
export class StreamAnswers {
  readonly #publicUrl: string
  readonly #requestId: () => string
  readonly #onFault: (requestId: string, fault: unknown) => void
  /** Caches answers by their bytes, so that all clients share them. */
  readonly #plain = new WeakMap<Uint8Array, Answer>()
  readonly #gzipped = new WeakMap<Uint8Array, Answer>()

  constructor(options: {
    readonly publicUrl: string
    readonly requestId: () => string
    readonly onFault: (requestId: string, fault: unknown) => void
  }) {
    this.#publicUrl = options.publicUrl
    this.#requestId = options.requestId
    this.#onFault = options.onFault
  }

  refuse(exchange: Exchange, refusal: Refusal, headers: Readonly<Record<string, string>> = {}): void {
    exchange.send(this.#refused(this.#requestId(), refusal, headers))
  }

  /** Always answers, whatever fails. */
  fault(exchange: Exchange, fault: unknown): void {
    const requestId = this.#requestId()
    this.#onFault(requestId, fault)
    if (exchange.isOver) return exchange.cutOff()
    exchange.send(
      this.#refused(
        requestId,
        new InternalError({ detail: `Internal error. Quote request id ${requestId} to the operators.` })
      )
    )
  }

  sendFound(exchange: Exchange, object: LiveObject): void {
    const packs = isPlaylist(object) && takesGzip.test(exchange.header("accept-encoding"))
    exchange.send(packs ? this.#packed(object) : this.#asItIs(object))
  }

  answer(exchange: Exchange, answer: LiveAnswer): void {
    switch (answer._tag) {
      case "Found":
        return this.sendFound(exchange, answer.object)
      case "Impossible":
        return this.refuse(exchange, invalidQuery({ [answer.parameter]: answer.detail }))
      case "Gone":
        return this.refuse(
          exchange,
          new NotFound({
            detail: answer.detail ?? "That part of the stream is not here, or not any more. Reload the playlist."
          })
        )
      case "Late":
        return this.refuse(exchange, new Busy({ detail: "The part is not ready. Ask again.", retryAfterSec: 1 }))
    }
  }

  #refused(requestId: string, refusal: Refusal, further: Readonly<Record<string, string>> = {}): Answer {
    const {
      body,
      headers: { "content-length": _, ...headers },
      status
    } = renderBareProblem(this.#publicUrl, requestId, refusal)
    return { status, headers: { ...headers, ...openToAll, ...further }, body }
  }

  #asItIs(object: LiveObject): Answer {
    const known = this.#plain.get(object.body)
    if (known !== undefined) return known
    const answer = { status: 200, headers: headOf(object), body: object.body }
    this.#plain.set(object.body, answer)
    return answer
  }

  #packed(object: LiveObject): Answer {
    const known = this.#gzipped.get(object.body)
    if (known !== undefined) return known
    const answer = {
      status: 200,
      headers: { ...headOf(object), "content-encoding": "gzip" },
      body: gzipSync(object.body, { level: 3 })
    }
    this.#gzipped.set(object.body, answer)
    return answer
  }
}

/** The problem of a query's parameters: what each of them must be. */
export const invalidQuery = (faults: Readonly<Record<string, string>>): InvalidField =>
  new InvalidField({
    detail: Object.entries(faults)
      .map(([name, fault]) => `${name} ${fault}.`)
      .join(" "),
    errors: Object.entries(faults).map(([name, detail]) => ({
      pointer: `/query/${name}`,
      code: "INVALID_FIELD",
      detail
    }))
  })

const isPlaylist = ({ contentType }: LiveObject): boolean => contentType.includes("mpegurl")

const headOf = (object: LiveObject): Readonly<Record<string, string>> => ({
  ...openToAll,
  "content-type": object.contentType,
  "cache-control": object.maxAgeSec === 0 ? "no-cache" : `public, max-age=${object.maxAgeSec}`,
  ...(isPlaylist(object) ? { vary: "accept-encoding" } : {}),
  ...(object.fence == null ? {} : { [fenceHeader]: String(object.fence) })
})
