import type { ServerResponse } from "node:http"

/** A whole answer, the same for everybody who gets it. How long it is, whoever sends it says. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Null where there is none to speak of, as with 204. */
  readonly body: Uint8Array | null
}

/** A request for the stream and the way back, on whichever server it came. */
export interface Exchange {
  readonly method: string
  readonly path: string
  readonly query: string
  /** By its name in lower case; empty where it wasn't sent. */
  readonly header: (name: string) => string
  readonly socketAddress: string | undefined
  /** Whether it has been answered, or nobody is there any more. */
  readonly isOver: boolean
  /** Once; a request for the head gets no more than that. */
  readonly send: (answer: Answer) => void
  /** Half an answer can only be cut off: that is how the other side sees that it isn't whole. */
  readonly cutOff: () => void
  readonly onGone: (gone: () => void) => void
}

/** On node's own server. */
export class NodeExchange implements Exchange {
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

  get socketAddress(): string | undefined {
    return this.response.req.socket.remoteAddress
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
}
