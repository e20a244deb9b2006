import { NodeHttpServer } from "@effect/platform-node"
import { layer } from "@effect/vitest"
import { Effect, Layer, Logger, Queue, References } from "effect"
import { HttpRouter, HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { createServer } from "node:http"
import type { Socket } from "node:net"
import { expect, it as plain } from "vitest"
import { IdSource } from "../../../engine/runtime/IdSource.ts"
import { envelope } from "../../../http/envelope/Envelope.ts"
import { Flood } from "../../../http/envelope/Flood.ts"
import { TestConfig } from "../../support/agents/OnboardingWorld.ts"
import { client } from "../../support/http/ListenServer.ts"
import { call } from "../../support/http/SegmentHttp.ts"

const routes = Layer.mergeAll(
  // The actor that works on a request ends first.
  HttpRouter.add("GET", "/interrupted", Effect.interrupt),
  envelope(() => ["GET"])
)
const World = HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }).pipe(
  Layer.provideMerge(NodeHttpServer.layer(() => createServer(), { port: 0, host: "127.0.0.1" })),
  Layer.provideMerge(Flood.layer),
  Layer.provideMerge(IdSource.layer),
  Layer.provideMerge(TestConfig({}))
)

layer(World, { excludeTestServices: true })("a request interrupted by the station", (it) => {
  it.effect("gets an answer that allows a repeat: its client is still connected", () =>
    Effect.gen(function* () {
      const { body, headers, status } = yield* call("GET", "/interrupted")
      expect([status, body.code, headers.get("retry-after")]).toEqual([503, "BUSY", "2"])
    })
  )
})

const ways: Readonly<Record<string, (socket: Socket) => unknown>> = {
  closes: (socket) => socket.destroy(),
  ends: (socket) => socket.end(),
  resets: (socket) => socket.resetAndDestroy()
}

plain.each(Object.keys(ways))("a body whose client %s before its end raises no alert", (way) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const begun = yield* Queue.unbounded<void>()
    const ended = yield* Queue.unbounded<void>()
    const reading = Layer.mergeAll(
      HttpRouter.add(
        "POST",
        "/read",
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest
          Queue.offerUnsafe(begun, undefined)
          // Reads the body as endpoints with a payload do.
          return HttpServerResponse.text(yield* Effect.orDie(request.text))
        }).pipe(Effect.ensuring(Effect.sync(() => Queue.offerUnsafe(ended, undefined))))
      ),
      envelope(() => ["POST"])
    )
    const Station = HttpRouter.serve(reading, { disableListenLog: true }).pipe(
      Layer.provideMerge(NodeHttpServer.layer(() => createServer(), { port: 0, host: "127.0.0.1" })),
      Layer.provideMerge(Flood.layer),
      Layer.provideMerge(IdSource.layer),
      Layer.provideMerge(TestConfig({})),
      Layer.provideMerge(
        Logger.layer([Logger.make(({ logLevel, message }) => void lines.push(`${logLevel} ${String(message)}`))])
      ),
      Layer.provideMerge(Layer.succeed(References.MinimumLogLevel, "All"))
    )
    // All log entries of a request are written when the server has ended.
    yield* Effect.gen(function* () {
      const { address } = yield* HttpServer.HttpServer
      for (const length of ["content-length: 100", "transfer-encoding: chunked"]) {
        const { socket } = yield* client(
          "port" in address ? address.port : 0,
          `POST /read HTTP/1.1\r\nhost: station\r\ncontent-type: application/json\r\n${length}\r\n\r\n`
        )
        yield* Queue.take(begun)
        ways[way]!(socket)
        yield* Queue.take(ended)
      }
    }).pipe(Effect.provide(Station), Effect.scoped)
    expect(lines.filter((line) => /^(Warn|Error|Fatal)/.test(line))).toEqual([])
    expect(lines.filter((line) => line.includes("499"))).toHaveLength(2)
  }).pipe(Effect.scoped, Effect.runPromise)
)
