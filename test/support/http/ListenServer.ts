import { Effect, Layer } from "effect"
import { createServer } from "node:http"
import { connect, type Socket } from "node:net"
import { StationConfig } from "../../../engine/runtime/Config.ts"
import { Live } from "../../../engine/ports/Live.ts"
import { Listen } from "../../../http/stream/Listen.ts"
import { makeLiveDouble } from "../../../bench/instruments/servers/LiveDouble.ts"

/** `http/Listen` over a scripted `Live`, on a real server. */
export const serve = Effect.fnUntraced(function* (settings: Record<string, string> = {}) {
  const double = makeLiveDouble()
  const context = yield* Layer.build(
    Listen.layer.pipe(
      Layer.provide(Layer.succeed(Live, double.live)),
      Layer.provide(StationConfig.fromEnvironment(settings))
    )
  )
  const { answers, handle, hls, listeners, players } = yield* Listen.pipe(Effect.provideContext(context))
  const server = createServer((request, response) => {
    if (!handle(request, response)) response.writeHead(418).end()
  })
  server.on("clientError", (_error, socket) => socket.destroy())
  const sockets: Array<Socket> = []
  server.on("connection", (socket) => sockets.push(socket))
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )
  const { port } = server.address() as { readonly port: number }
  const ask = (path: string, init: RequestInit = {}) =>
    Effect.promise(() => fetch(`http://127.0.0.1:${port}${path}`, init))
  return { ...double, answers, handle, hls, listeners, players, port, ask, sockets }
})

/** A plain client that keeps received bytes and can wait for more; its socket closes with the scope. */
export const client = (port: number, text: string, localAddress = "127.0.0.1") =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const socket = connect({ port, host: "127.0.0.1", localAddress })
      const state = { bytes: Buffer.alloc(0), closed: false, look: () => {} }
      socket.on("data", (bytes) => {
        state.bytes = Buffer.concat([state.bytes, bytes])
        state.look()
      })
      socket.on("error", () => undefined)
      socket.on("close", () => {
        state.closed = true
        state.look()
      })
      socket.write(text)
      const readUntil = (isEnough: (state: { readonly bytes: Buffer; readonly closed: boolean }) => boolean) =>
        Effect.callback<Buffer>((resume) => {
          state.look = () => {
            if (isEnough(state)) resume(Effect.succeed(state.bytes))
          }
          state.look()
        })
      return {
        socket,
        readUntil,
        head: Effect.map(
          readUntil(({ bytes }) => bytes.includes("\r\n\r\n")),
          (bytes) => bytes.subarray(0, bytes.indexOf("\r\n\r\n")).toString()
        )
      }
    }),
    ({ socket }) => Effect.sync(() => socket.destroy())
  )

export const get = (path: string, ...lines: ReadonlyArray<string>) =>
  [`GET ${path} HTTP/1.1`, "host: station", ...lines, "", ""].join("\r\n")

export const bodyOf = (bytes: Buffer) => bytes.subarray(bytes.indexOf("\r\n\r\n") + 4)
export const soundOf = (bytes: number) => (state: { readonly bytes: Buffer }) =>
  state.bytes.includes("\r\n\r\n") && bodyOf(state.bytes).length >= bytes

/** Waits in real time for the kernel; the station's clock stands still meanwhile. */
export const awaitTrue = (holds: () => boolean): Effect.Effect<void> =>
  Effect.promise(async () => {
    while (!holds()) await new Promise((resolve) => setImmediate(resolve))
  })

/** Sends the same request repeatedly, as fast as it is accepted, and reads nothing. */
export const flood = (port: number, text: string, isEnough: (takenBytes: number) => boolean) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const socket = connect({ port, host: "127.0.0.1" })
      const batch = Buffer.from(text.repeat(Math.ceil(65_536 / text.length)))
      const state = { socket, takenBytes: 0, isClosed: false }
      const write = () => {
        if (state.isClosed || isEnough(state.takenBytes)) return
        socket.write(batch, (error) => {
          if (error) return
          state.takenBytes += batch.length
          write()
        })
      }
      socket
        .pause()
        .on("error", () => undefined)
        .on("close", () => void (state.isClosed = true))
      write()
      return state
    }),
    ({ socket }) => Effect.sync(() => socket.destroy())
  )

export const turns = (count: number) =>
  Effect.promise(async () => {
    for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
  })

/** Both ends run in this process: a value unchanged for this many turns of the event loop is final. */
export const rest = (figure: () => number) =>
  Effect.gen(function* () {
    for (let before = -1; before !== figure();) {
      before = figure()
      yield* turns(100)
    }
  })
