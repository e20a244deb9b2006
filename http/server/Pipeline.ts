import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"

interface Latest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Whether it was the response's turn from the beginning. */
  readonly hadSocket: boolean
  isAnswered: boolean
}

/** A body may be full of what looks like the end of a head: it isn't given in smaller pieces than this. */
const bodyPieceMinBytes = 256

/** Where the next head may begin: empty lines may stand before it. */
const beginningOf = (bytes: Buffer): number => {
  let at = 0
  while (bytes[at] === 0x0d || bytes[at] === 0x0a) at += 1
  return at
}

/** Where the first head in it ends, or the whole where none does. What comes after a body is at most a few small requests. */
const endOf = (bytes: Buffer, isBody: boolean): number => {
  const at = bytes.indexOf("\r\n\r\n", isBody ? bodyPieceMinBytes : beginningOf(bytes))
  return at === -1 ? bytes.length : at + 4
}

/**
 * Requests that are sent ahead of their answers, on node's own server: it would begin with all that came in one read, and keep all
 * answers. Here it gets the next request when the answer before has been taken; until then the connection isn't read.
 */
export class Pipeline {
  readonly #latest = new WeakMap<Socket, Latest>()
  readonly #onHeld: (socket: Socket) => void

  /** `onHeld` is called when a connection holds bytes that wait, and when it doesn't any more. */
  constructor(onHeld: (socket: Socket) => void) {
    this.#onHeld = onHeld
  }

  /** Stands between a connection and the server that has just begun with it. */
  attach(socket: Socket): void {
    const [parse] = socket.listeners("data") as [(bytes: Buffer) => void]
    socket.off("data", parse)
    socket.on("data", (bytes: Buffer) => {
      // After the last answer nothing more is understood.
      for (let rest = bytes; rest.length > 0 && socket.writable;) {
        const latest = this.#latest.get(socket)
        if (socket.isPaused() || isBusy(latest)) {
          socket.pause()
          socket.unshift(rest)
          return this.#onHeld(socket)
        }
        const end = endOf(rest, latest?.request.complete === false)
        parse(rest.subarray(0, end))
        rest = rest.subarray(end)
      }
    })
  }

  begin(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    const latest: Latest = { request, response, hadSocket: response.socket !== null, isAnswered: false }
    this.#latest.set(socket, latest)
    response.once("close", () => {
      latest.isAnswered = true
      if (this.#latest.get(socket) !== latest) return
      if (request.complete) this.#latest.delete(socket)
      if (socket.isPaused()) socket.resume()
      this.#onHeld(socket)
    })
  }
}

/** A body is read while it is answered, and a connection that was taken from its response is no longer the server's. */
const isBusy = (latest: Latest | undefined): boolean =>
  latest !== undefined &&
  latest.request.complete &&
  !latest.isAnswered &&
  !(latest.hadSocket && latest.response.socket === null)
