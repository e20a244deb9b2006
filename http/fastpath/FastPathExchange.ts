import type { Socket } from "node:net"
import { listenerStallMs } from "../../engine/rules/air/limits.ts"
import { headersTimeoutMs, keepAliveMs } from "../../engine/rules/http/limits.ts"
import type { Answer, SocketExchange } from "./Exchange.ts"
import type { KnownHead, LaneRequest } from "./FastPathRequest.ts"

/** One connection in the fast path: one request at a time; the next is read after the answer was taken. */
export class LaneConnection {
  readonly socket: Socket
  head: KnownHead | null = null
  current: LaneExchange | null = null
  served = false
  movedMs: number

  constructor(socket: Socket, nowMs: number) {
    this.socket = socket
    this.movedMs = nowMs
  }

  isLate(nowMs: number): boolean {
    // While an answer is unsent, a reader is judged by its throughput, like all readers; the idle time begins
    // afterwards.
    if (this.socket.writableLength > 0) this.movedMs = nowMs
    const patienceMs = this.current !== null ? listenerStallMs : this.served ? keepAliveMs : headersTimeoutMs
    return nowMs - this.movedMs > patienceMs
  }
}

/** A request in the fast path. */
export class LaneExchange implements SocketExchange {
  readonly method = "GET"
  readonly path: string
  readonly query: string
  readonly #connection: LaneConnection
  readonly #headers: ReadonlyMap<string, string>
  readonly #send: (answer: Answer) => void
  readonly #take: () => void
  readonly #gone: Array<() => void> = []
  isOver = false

  constructor(
    connection: LaneConnection,
    { headers, target }: LaneRequest,
    { send, take }: { readonly send: (answer: Answer) => void; readonly take: () => void }
  ) {
    const mark = target.indexOf("?")
    this.path = mark === -1 ? target : target.slice(0, mark)
    this.query = mark === -1 ? "" : target.slice(mark + 1)
    this.#connection = connection
    this.#headers = headers
    this.#send = send
    this.#take = take
  }

  header(name: string): string {
    return this.#headers.get(name) ?? ""
  }

  get socket(): Socket {
    return this.#connection.socket
  }

  get socketAddress(): string | undefined {
    return this.socket.remoteAddress
  }

  send(answer: Answer): void {
    if (this.isOver) return
    this.isOver = true
    this.#send(answer)
  }

  cutOff(): void {
    this.socket.destroy()
  }

  takeSocket(): void {
    this.isOver = true
    this.#take()
  }

  onGone(gone: () => void): void {
    this.#gone.push(gone)
  }

  leave(): void {
    this.isOver = true
    for (const gone of this.#gone) gone()
  }
}
