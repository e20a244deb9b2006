import { Clock, Effect, Schedule, type Scope } from "effect"
import type { Server } from "node:http"
import type { Socket } from "node:net"
import { connectionsCheckMs } from "../engine/Limits.ts"
import type { Exchange } from "./Exchange.ts"
import { LaneConnection, LaneExchange } from "./LaneExchange.ts"
import { laneRequest } from "./LaneRequest.ts"
import { LaneWire } from "./LaneWire.ts"

interface Time {
  readonly nowMs: () => number
  readonly monotonicMs: () => number
}

/**
 * The short way for players: what asks for the stream in the plain form that all players use is read and answered here, at a third of
 * what node's own server takes for it. A connection that says anything else goes to that server, with all it has said, and stays.
 */
export class Lane {
  readonly #hls: (exchange: Exchange) => void
  readonly #elsewhere: (socket: Socket) => void
  readonly #clock: Time
  readonly #wire = new LaneWire()
  readonly #connections = new Set<LaneConnection>()

  constructor(options: { readonly hls: (exchange: Exchange) => void; readonly elsewhere: (socket: Socket) => void; readonly clock: Time }) {
    this.#hls = options.hls
    this.#elsewhere = options.elsewhere
    this.#clock = options.clock
  }

  /** For a connection that is not to be served here. */
  pass(socket: Socket): void {
    this.#elsewhere(socket)
  }

  take(socket: Socket): void {
    if (socket.destroyed) return
    const connection = new LaneConnection(socket, this.#clock.monotonicMs())
    this.#connections.add(connection)
    const read = (bytes: Buffer) => {
      connection.movedMs = this.#clock.monotonicMs()
      connection.rest = connection.rest === null ? bytes : Buffer.concat([connection.rest, bytes])
      // Who speaks before the answer waits, and is not read any further.
      if (connection.current !== null) return void socket.pause()
      this.#serve(connection, leave)
    }
    const closed = () => {
      this.#connections.delete(connection)
      connection.current?.leave()
    }
    const broken = () => void socket.destroy()
    const said = () => void socket.end()
    const drained = () => void (connection.movedMs = this.#clock.monotonicMs())
    const leave = (bytes: Buffer) => {
      this.#connections.delete(connection)
      socket.pause()
      socket.off("data", read).off("close", closed).off("error", broken).off("drain", drained).off("end", said)
      socket.unshift(bytes)
      this.#elsewhere(socket)
      socket.resume()
    }
    socket.on("data", read).on("close", closed).on("error", broken).on("drain", drained).on("end", said)
  }

  /** Lets those go that neither ask nor take. */
  sweep(): void {
    const nowMs = this.#clock.monotonicMs()
    for (const connection of this.#connections) if (connection.isLate(nowMs)) connection.socket.destroy()
  }

  close(): void {
    for (const { socket } of this.#connections) socket.destroy()
  }

  #serve(connection: LaneConnection, leave: (said: Buffer) => void): void {
    const { socket } = connection
    while (connection.rest !== null && connection.current === null && !socket.destroyed) {
      const said = connection.rest
      connection.rest = null
      const read = laneRequest(said, connection.head)
      if (read === null) return leave(said)
      const { head, request } = read
      connection.head = head
      if (request.bytes < said.length) connection.rest = said.subarray(request.bytes)
      let isServing = true
      const exchange = new LaneExchange(connection, request, (answer) => {
        const nowMs = this.#clock.nowMs()
        connection.current = null
        connection.served = true
        connection.movedMs = this.#clock.monotonicMs()
        if (!request.keepsAlive) return void socket.end(this.#wire.lastBytesOf(answer, nowMs))
        socket.write(this.#wire.bytesOf(answer, nowMs))
        if (isServing || connection.rest === null) return
        socket.resume()
        this.#serve(connection, leave)
      })
      connection.current = exchange
      this.#hls(exchange)
      isServing = false
    }
  }
}

/** Puts the lane before a server: its own way of beginning with a connection is for those that don't stay in the lane. */
export const laneBefore = Effect.fnUntraced(function*(server: Server, hls: (exchange: Exchange) => void): Effect.fn.Return<Lane, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const [begin] = server.listeners("connection") as [(socket: Socket) => void]
  server.off("connection", begin)
  const lane = new Lane({
    hls,
    elsewhere: (socket) => begin.call(server, socket),
    clock: { nowMs: () => clock.currentTimeMillisUnsafe(), monotonicMs: () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6 }
  })
  yield* Effect.sync(() => lane.sweep()).pipe(Effect.repeat(Schedule.spaced(connectionsCheckMs)), Effect.forkScoped)
  return lane
})
