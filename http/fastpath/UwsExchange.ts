import { STATUS_CODES } from "node:http"
import type { Answer, Exchange } from "./Exchange.ts"
import type { UwsRequest, UwsResponse } from "./Uws.ts"

const text = new TextDecoder()
/** An SSE comment, which readers ignore. */
const nothing = Buffer.from(":\n\n")
/** Headers that the server writes itself. */
const own = new Set(["content-length", "transfer-encoding", "connection", "date", "keep-alive"])

/** A request on uWebSockets.js. Its objects are invalid once it is over, so nothing touches them afterwards. */
export class UwsExchange implements Exchange {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: ReadonlyMap<string, string>
  readonly socketAddress: string
  readonly #response: UwsResponse
  readonly #gone: Array<() => void> = []
  #early: Array<Uint8Array> = []
  #isHeld = false
  #hasBegun = false
  #backlogBytes = 0
  #isOver = false

  constructor(response: UwsResponse, request: UwsRequest) {
    const headers = new Map<string, string>()
    request.forEach((name, value) => headers.set(name, headers.has(name) ? `${headers.get(name)}, ${value}` : value))
    this.method = request.getCaseSensitiveMethod()
    this.path = request.getUrl()
    this.query = request.getQuery()
    this.headers = headers
    this.socketAddress = text.decode(response.getRemoteAddressAsText())
    this.#response = response
  }

  /** For answers after the handler returns. */
  hold(): void {
    if (this.#isHeld || this.#isOver) return
    this.#isHeld = true
    this.#response.onAborted(() => this.#leave())
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Upper bound of unsent bytes per reader. */
  get backlogBytes(): number {
    return this.#backlogBytes
  }

  header(name: string): string {
    return this.headers.get(name) ?? ""
  }

  /**
   * uWebSockets.js copies unsent bytes, for each pipelined request again. An untaken body stays in place instead, and a
   * connection that sends another request before taking it is closed; without a body, the connection closes with the
   * answer.
   */
  send({ body, headers, status }: Answer): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#response.cork(() => {
      this.#head(status, headers)
      if (body === null || this.method === "HEAD") this.#response.endWithoutBody(body?.length, true)
      else if (body.length === 0) this.#response.end(body, true)
      else this.#give(body)
    })
  }

  /** A streamed answer, sent after earlier writes. */
  begin(status: number, headers: Readonly<Record<string, string>>): void {
    if (this.#isOver) return
    this.#hasBegun = true
    this.#response.onWritable(() => this.#drain())
    this.#response.cork(() => {
      this.#head(status, headers)
      for (const bytes of this.#early) this.#put(bytes)
      this.#early = []
    })
  }

  write(bytes: Uint8Array): void {
    if (this.#isOver) return
    if (this.#hasBegun) this.#response.cork(() => this.#put(bytes))
    else this.#early.push(bytes)
  }

  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#response.cork(() => this.#response.end())
  }

  cutOff(): void {
    if (this.#isOver) return
    this.#response.close()
    this.#leave()
  }

  onGone(gone: () => void): void {
    this.#gone.push(gone)
  }

  #head(status: number, headers: Readonly<Record<string, string>>): void {
    this.#response.writeStatus(`${status} ${STATUS_CODES[status]}`)
    for (const [name, value] of Object.entries(headers)) if (!own.has(name)) this.#response.writeHeader(name, value)
  }

  #give(body: Uint8Array): void {
    const [, isDone] = this.#response.tryEnd(body, body.length)
    if (isDone) return
    if (!this.#isHeld) this.#response.onAborted(() => undefined)
    this.#response.onWritable((offset) => this.#response.tryEnd(body.subarray(offset), body.length)[0])
  }

  #put(bytes: Uint8Array): void {
    if (!this.#response.write(bytes) || this.#backlogBytes > 0) this.#backlogBytes += bytes.length
  }

  /** Kept bytes are only sent with the next write, so an empty one is made. */
  #drain(): boolean {
    if (this.#isOver || this.#backlogBytes === 0) return true
    const hasLeft = this.#response.write(nothing)
    this.#backlogBytes = hasLeft ? 0 : this.#backlogBytes + nothing.length
    return hasLeft
  }

  #leave(): void {
    if (this.#isOver) return
    this.#isOver = true
    for (const gone of this.#gone) gone()
  }
}
