import type { ServerResponse } from "node:http"
import type { Socket } from "node:net"

/** A complete answer, the same for every recipient. The sender adds its length. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Null without a content type, as with 204. */
  readonly body: Uint8Array | null
}

/** A stream request with its answer, independent of the server. */
export interface Exchange {
  readonly method: string
  readonly path: string
  readonly query: string
  /** A header by lower-case name; empty if absent. */
  readonly header: (name: string) => string
  readonly socketAddress: string | undefined
  /** True if it was answered or the client has gone. */
  readonly isOver: boolean
  /** Call once; HEAD requests get the headers only. */
  readonly send: (answer: Answer) => void
  /** Cuts off a partial answer: the client must notice that it is incomplete. */
  readonly cutOff: () => void
  readonly onGone: (gone: () => void) => void
}

/** An exchange whose connection can carry an endless answer. */
export interface SocketExchange extends Exchange {
  readonly socket: Socket
  /** Takes the connection from its server, which answers nothing else on it. */
  readonly takeSocket: () => void
}

/** An exchange on Node's server. */
export class NodeExchange implements SocketExchange {
  readonly response: ServerResponse
  readonly path: string
  readonly query: string

  constructor(response: ServerResponse) {
    this.response = response
    const url = response.req.url ?? "/"
    const mark = url.indexOf("?")
    this.path = mark === -1 ? url : url.slice(0, mark)
    this.query = mark === -1 ? "" : url.slice(mark + 1)
  }

  get method(): string {
    return this.response.req.method ?? ""
  }

  header(name: string): string {
    return String(this.response.req.headers[name] ?? "")
  }

  get socket(): Socket {
    return this.response.req.socket
  }

  get socketAddress(): string | undefined {
    return this.socket.remoteAddress
  }

  get isOver(): boolean {
    return this.response.headersSent || this.response.destroyed
  }

  send({ body, headers, status }: Answer): void {
    this.response.writeHead(status, body === null ? headers : { ...headers, "content-length": body.length })
    this.response.end(this.method === "HEAD" || body === null ? undefined : body)
  }

  cutOff(): void {
    this.response.destroy()
  }

  onGone(gone: () => void): void {
    this.response.once("close", gone)
  }

  takeSocket(): void {
    const { socket } = this
    this.response.detachSocket(socket)
    socket.setTimeout(0)
  }
}
