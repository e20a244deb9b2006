import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { scheduler } from "node:timers/promises"

interface Latest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Whether the response was first in line from the beginning. */
  readonly hadSocket: boolean
  isAnswered: boolean
}

/** Body chunks are not split below this size, because bodies may contain text that looks like the end of a head. */
const bodyPieceMinBytes = 256

/** Start of the next head; empty lines may precede it. */
const beginningOf = (bytes: Buffer): number => {
  let at = 0
  while (bytes[at] === 0x0d || bytes[at] === 0x0a) at += 1
  return at
}

/** End of the first head, or the whole buffer without one. After a body there are at most a few small requests. */
const endOf = (bytes: Buffer, isBody: boolean): number => {
  const at = bytes.indexOf("\r\n\r\n", isBody ? bodyPieceMinBytes : beginningOf(bytes))
  return at === -1 ? bytes.length : at + 4
}

/**
 * Limits pipelining on Node's server, which would start all requests of one read and keep all answers. The server gets
 * the next request after the previous answer was taken, and in a later turn of the event loop; until then the connection isn't read.
 */
export class Pipeline {
  readonly #latest = new WeakMap<Socket, Latest>()
  readonly #onHeld: (socket: Socket) => void

  /** `onHeld` is called when a connection starts or stops holding pending bytes. */
  constructor(onHeld: (socket: Socket) => void) {
    this.#onHeld = onHeld
  }

  /** Inserts itself between a connection and the server. */
  attach(socket: Socket): void {
    const [parse] = socket.listeners("data") as [(bytes: Buffer) => void]
    socket.off("data", parse)
    socket.on("data", (bytes: Buffer) => {
      // Input after the last answer is ignored.
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
      if (this.#latest.get(socket) === latest && request.complete) this.#latest.delete(socket)
      // All other connections come first: the kernel takes megabytes of answers at once, which are thousands of requests.
      if (socket.isPaused()) void scheduler.yield().then(() => socket.resume())
      this.#onHeld(socket)
    })
  }
}

/** A body is read while it is answered, but not behind another answer. Upgraded connections no longer belong to the server. */
const isBusy = (latest: Latest | undefined): boolean => {
  if (latest === undefined || latest.isAnswered) return false
  const { hadSocket, request, response } = latest
  const hasLine = response.socket !== null
  return request.complete ? hasLine || !hadSocket : !hasLine && !hadSocket
}
