import { Clock, Effect, Schedule, type Scope } from "effect"
import type { Socket } from "node:net"
import { scheduler } from "node:timers/promises"
import { connectionsCheckMs } from "../../engine/rules/http/limits.ts"
import type { SocketExchange } from "./Exchange.ts"
import { LaneConnection, LaneExchange } from "./FastPathExchange.ts"
import { laneRequest } from "./FastPathRequest.ts"
import { LaneWire } from "./FastPathWire.ts"

const nothing = Buffer.alloc(0)

interface Time {
  readonly nowMs: () => number
  readonly monotonicMs: () => number
}

/**
 * Fast path for players: parses and answers plain stream requests at a third of the cost of Node's HTTP parser. A
 * connection that sends anything else is handed to Node's server, with all its bytes, and stays there.
 */
export class FastPath {
  readonly #answer: (exchange: SocketExchange) => void
  readonly #elsewhere: (socket: Socket) => void
  readonly #onTaken: (socket: Socket) => void
  readonly #onHeld: (socket: Socket) => void
  readonly #clock: Time
  readonly #wire = new LaneWire()
  readonly #connections = new Set<LaneConnection>()

  /** `onHeld` is called when a connection holds unsent bytes, `onTaken` when it begins an endless answer. */
  constructor(options: {
    readonly answer: (exchange: SocketExchange) => void
    readonly handOver: (socket: Socket) => void
    readonly onTaken: (socket: Socket) => void
    readonly onHeld: (socket: Socket) => void
    readonly clock: Time
  }) {
    this.#answer = options.answer
    this.#elsewhere = options.handOver
    this.#onTaken = options.onTaken
    this.#onHeld = options.onHeld
    this.#clock = options.clock
  }

  take(socket: Socket): void {
    const connection = new LaneConnection(socket, this.#clock.monotonicMs())
    this.#connections.add(connection)
    const read = (bytes: Buffer) => {
      // Input after the last answer is ignored.
      if (!socket.writable) return
      connection.movedMs = this.#clock.monotonicMs()
      this.#serve(connection, bytes, { leave, take })
    }
    const onClose = () => {
      this.#connections.delete(connection)
      connection.current?.leave()
    }
    const onError = () => void socket.destroy()
    const onEnd = () => void socket.end()
    const release = () => {
      this.#connections.delete(connection)
      socket.off("data", read).off("close", onClose).off("error", onError).off("end", onEnd)
    }
    const take = () => {
      release()
      // Nothing can follow an endless answer, and a client that has ended its side has gone.
      const close = () => void socket.destroy()
      socket.on("data", close).on("error", close).on("end", close)
      this.#onTaken(socket)
    }
    const leave = (bytes: Buffer) => {
      socket.pause()
      release()
      socket.unshift(bytes)
      this.#elsewhere(socket)
      socket.resume()
    }
    socket.on("data", read).on("close", onClose).on("error", onError).on("end", onEnd)
  }

  /** Closes idle connections and readers that take nothing. */
  sweep(): void {
    const nowMs = this.#clock.monotonicMs()
    for (const connection of this.#connections) if (connection.isLate(nowMs)) connection.socket.destroy()
  }

  close(): void {
    for (const { socket } of this.#connections) socket.destroy()
  }

  #serve(
    connection: LaneConnection,
    bytes: Buffer,
    { leave, take }: { readonly leave: (said: Buffer) => void; readonly take: () => void }
  ): void {
    const { socket } = connection
    let isTaken = false
    for (let rest = bytes; rest.length > 0 && socket.writable;) {
      if (rest !== bytes || connection.current !== null || socket.writableLength > 0)
        return this.#hold(connection, rest)
      const read = laneRequest(rest, connection.head)
      if (read === null) return leave(rest)
      const { head, request } = read
      connection.head = head
      rest = rest.subarray(request.bytes)
      const exchange = new LaneExchange(connection, request, {
        send: (answer) => {
          connection.current = null
          connection.served = true
          connection.movedMs = this.#clock.monotonicMs()
          const nowMs = this.#clock.nowMs()
          if (request.keepsAlive) this.#wire.write(socket, answer, nowMs)
          else this.#wire.end(socket, answer, nowMs)
          if (socket.isPaused()) this.#goOn(socket)
        },
        take: () => {
          isTaken = true
          take()
        }
      })
      connection.current = exchange
      this.#answer(exchange)
      if (isTaken && rest.length > 0) return void socket.destroy()
    }
  }

  /** Pauses reading while an answer is pending or not yet taken, and after each answer. */
  #hold({ current, socket }: LaneConnection, rest: Buffer): void {
    socket.pause()
    socket.unshift(rest)
    this.#onHeld(socket)
    // Called when everything before it has been sent.
    if (current === null) socket.write(nothing, () => this.#goOn(socket))
  }

  /** The kernel takes megabytes of answers at once: all other connections come first, or they would wait for thousands of requests of this one. */
  #goOn(socket: Socket): void {
    void scheduler.yield().then(() => socket.resume())
  }
}

/** The fast path before a server, with its timer. */
export const makeLane = Effect.fnUntraced(function* (
  options: Omit<ConstructorParameters<typeof FastPath>[0], "clock">
): Effect.fn.Return<FastPath, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const fastPath = new FastPath({
    ...options,
    clock: {
      nowMs: () => clock.currentTimeMillisUnsafe(),
      monotonicMs: () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
    }
  })
  yield* Effect.sync(() => fastPath.sweep()).pipe(Effect.repeat(Schedule.spaced(connectionsCheckMs)), Effect.forkScoped)
  return fastPath
})
