import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { createServer, type Socket } from "node:net"
import { EventBus, type Logs } from "../actors/runtime/EventBus.ts"
import { listenBacklog } from "../engine/rules/http/limits.ts"
import { ClientAddress } from "../http/api/Client.ts"
import { eventStream, EventStreams, type StreamName as AnyStream } from "../http/stream/events/EventStream.ts"
import { makeServer } from "../http/server/Server.ts"
import { playingSample } from "./instruments/data/NowPlayingSample.ts"
import { nowMs } from "./instruments/Report.ts"

/** The bench's orders to the server, and their times. */
/** The streams that listeners follow. */
type StreamName = Exclude<AnyStream, "ops" | "meters" | "lines">
export interface Tell {
  readonly stream: StreamName
  readonly number: number
}
const body = "Low water is at ten past nine, and the wind turns north before midnight. Who else is up?"
/** A message in the format of the room, and an item in that of the station. */
const dataOf = ({ number, stream }: Tell) =>
  stream === "chat"
    ? {
        number,
        toldAtMs: nowMs(),
        id: `msg_${String(number).padStart(26, "0")}`,
        body,
        authorType: "listener",
        author: { handle: null, displayName: "a listener", avatarUrl: null },
        targetHandle: null,
        replyToMessageId: null,
        exchangeId: null,
        moderationStatus: "approved",
        createdAt: new Date(0).toISOString()
      }
    : {
        number,
        toldAtMs: nowMs(),
        ...playingSample({ id: `itm_${number}`, title: body, startMs: 0, lengthMs: 200_000 })
      }
const names = { chat: "message", nowPlaying: "now-playing" } as const
const ours = Effect.gen(function* () {
  const stream = (name: StreamName) =>
    Effect.gen(function* () {
      const { socket } = (yield* HttpServerRequest.HttpServerRequest).source as { readonly socket: Socket }
      return yield* Effect.provideService(
        eventStream(name, undefined, null),
        ClientAddress,
        socket.remoteAddress ?? "unknown"
      )
    })
  const context = yield* Layer.build(EventStreams.layer.pipe(Layer.provideMerge(EventBus.layer)))
  const { logs } = yield* Effect.provideContext(EventBus, context)
  const app = yield* HttpRouter.toHttpEffect(
    Layer.mergeAll(
      HttpRouter.add("GET", "/chat", stream("chat")),
      HttpRouter.add("GET", "/nowPlaying", stream("nowPlaying"))
    ).pipe(Layer.provide(Layer.succeedContext(context)))
  )
  const server = yield* makeServer({
    host: "127.0.0.1",
    port: 0,
    publicUrl: "http://127.0.0.1",
    trustedProxies: "127.0.0.1/32",
    listen: () => false
  })
  yield* server.open(Effect.provideContext(app, context))
  process.on("message", (tell: Tell) => (logs as Logs)[tell.stream].append(names[tell.stream], dataOf(tell), nowMs()))
  process.send?.(server.port)
  return yield* Effect.never
}).pipe(Effect.scoped)
/** Minimum cost in Node: the same bytes, written to every socket in one loop. */
const floor = (): void => {
  const sockets = { chat: new Set<Socket>(), nowPlaying: new Set<Socket>() }
  const write = (stream: StreamName, name: string, data: unknown) => {
    const bytes = Buffer.from(`id: 1-1\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
    for (const socket of sockets[stream]) socket.write(bytes)
  }
  process.on("message", (tell: Tell) => write(tell.stream, names[tell.stream], dataOf(tell)))
  setInterval(() => write("nowPlaying", "tick", { itemId: "itm_1", positionSec: 1, listenerCount: 1 }), 3_000)
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy())
    socket.once("data", (request) => {
      const mine = sockets[request.includes("/chat ") ? "chat" : "nowPlaying"]
      socket.write("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\nretry: 3000\n\n")
      mine.add(socket)
      socket.on("close", () => mine.delete(socket))
    })
  })
  server.listen({ port: 0, host: "127.0.0.1", backlog: listenBacklog }, () => {
    const address = server.address()
    process.send?.(typeof address === "object" && address !== null ? address.port : 0)
  })
}
process.on("disconnect", () => process.exit())
if (process.argv[2] === "floor") floor()
else Effect.runFork(ours)
