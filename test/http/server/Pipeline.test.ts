import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { connect } from "node:net"
import { listenerStallMs } from "../../../engine/rules/air/limits.ts"
import { connectionsCheckMs, drainStallMs } from "../../../engine/rules/http/limits.ts"
import type { LiveAnswer } from "../../../engine/ports/Live.ts"
import { makeServer } from "../../../http/server/Server.ts"
import { client, awaitTrue, flood, get, rest, serve, turns } from "../../support/http/ListenServer.ts"

const bodyBytes = 65_536
/** More than the kernel buffers of one answer. */
const hugeBytes = 12 * 1_048_576
/** Maximum in the kernel's buffers for one connection, both ways, and one read of each side. */
const kernelMaxBytes = 16 * 1_048_576

const numbered = (number: string | number) => Buffer.from(`<<${number}>>`.padEnd(bodyBytes, "x"))
const numberOf = (path: string) => /(\d+)/.exec(path.split("?")[0]!.split("/").at(-1)!)?.[1] ?? "0"

/**
 * The station's server: the stream on the fast path, on Node's path an asset answered at once and an API that takes its time.
 * `asked` counts the answers that were made.
 */
const station = Effect.fnUntraced(function* (options: { readonly heldMaxBytes?: number } = {}) {
  const served = yield* serve()
  const asset = numbered(1)
  let asked = 0
  const found = (body: Buffer, contentType = "audio/mp4"): LiveAnswer => {
    asked += 1
    return { _tag: "Found", object: { contentType, body, maxAgeSec: 1 } }
  }
  served.live.segment = (_rendition, msn) => Effect.sync(() => found(numbered(msn)))
  served.live.playlist = () => Effect.sync(() => found(asset, "application/vnd.apple.mpegurl"))
  const server = yield* makeServer({
    host: "127.0.0.1",
    port: 0,
    publicUrl: "http://station.test",
    players: served.players,
    ...options,
    listen: (request, response) => {
      if (served.handle(request, response)) return true
      if (!request.url!.startsWith("/assets/")) return false
      asked += 1
      const body = request.url === "/assets/1" ? asset : numbered(numberOf(request.url!))
      response.writeHead(200, { "content-length": body.length })
      response.end(body)
      return true
    }
  })
  yield* server.open(
    Effect.gen(function* () {
      const { url } = yield* HttpServerRequest.HttpServerRequest
      asked += 1
      yield* Effect.yieldNow
      if (url.includes("events"))
        return HttpServerResponse.stream(Stream.concat(Stream.make(Buffer.from("data: one\n\n")), Stream.never), {
          contentType: "text/event-stream"
        })
      if (url.includes("huge")) return HttpServerResponse.uint8Array(Buffer.alloc(hugeBytes))
      return url.includes("pieces")
        ? HttpServerResponse.stream(
            Stream.fromIterable(
              Array.from({ length: 64 }, (_, at) => numbered(numberOf(url)).subarray(at * 1_024, (at + 1) * 1_024))
            ),
            { contentLength: bodyBytes }
          )
        : HttpServerResponse.uint8Array(numbered(numberOf(url)))
    })
  )
  // Runs before the server is closed: the pending requests need the time to continue.
  yield* Effect.addFinalizer(() =>
    Effect.forkDetach(Effect.repeat(Effect.andThen(turns(1), TestClock.adjust(10)), { times: 600 }))
  )
  return { ...served, port: server.port, asked: () => asked }
})

const paths = [
  ["a segment", "/live/aac128/s1.m4s"],
  ["a playlist", "/live/aac128/index.m3u8"],
  ["an asset of the page", "/assets/1"],
  ["an answer of the API", "/api/1"],
  ["an answer of the API in pieces", "/api/pieces/1"]
] as const

describe("pipelined requests", () => {
  for (const [what, path] of paths) {
    it.effect(`are read no further than their answers are taken, and a reader of nothing is cut off: ${what}`, () =>
      Effect.gen(function* () {
        const { asked, port } = yield* station()
        const attack = yield* flood(
          port,
          get(path),
          (takenBytes) => takenBytes > kernelMaxBytes || asked() * bodyBytes > kernelMaxBytes
        )
        yield* rest(() => attack.takenBytes + asked())
        expect(attack.takenBytes).toBeLessThan(kernelMaxBytes)
        expect(asked() * bodyBytes).toBeLessThan(kernelMaxBytes)
        // All other clients are served.
        yield* (yield* client(port, get("/live/aac128/s7.m4s"))).readUntil(({ bytes }) => bytes.includes("<<7>>"))
        yield* TestClock.adjust(drainStallMs - connectionsCheckMs)
        yield* turns(10)
        expect(attack.isClosed).toBe(false)
        yield* TestClock.adjust(4 * connectionsCheckMs)
        yield* awaitTrue(() => attack.isClosed)
      })
    )
  }

  for (const [what, path] of paths) {
    it.effect(`are answered one in a turn of the event loop, so that everybody else comes in between: ${what}`, () =>
      Effect.gen(function* () {
        const { asked, port } = yield* station()
        const socket = yield* Effect.acquireRelease(
          Effect.sync(() => connect({ port, host: "127.0.0.1" }).resume()),
          (socket) => Effect.sync(() => socket.destroy())
        )
        socket.write(get(path).repeat(30))
        const perTurn = yield* Effect.promise(async () => {
          const answered: Array<number> = []
          for (let before = 0; asked() < 30; before = asked()) {
            await new Promise((resolve) => setImmediate(resolve))
            answered.push(asked() - before)
          }
          return answered
        })
        expect(Math.max(...perTurn)).toBe(1)
      })
    )
  }

  for (const [what, pathOf] of [
    ["a segment", (at: number) => `/live/aac128/s${at}.m4s`],
    ["an asset of the page", (at: number) => `/assets/${at}`],
    ["an answer of the API", (at: number) => `/api/${at}`],
    ["an answer of the API in pieces", (at: number) => `/api/pieces/${at}`],
    [
      "one path after the other",
      (at: number) => [`/live/aac128/s${at}.m4s`, `/api/${at}`, `/assets/${at}`, `/api/pieces/${at}`][(at >> 3) & 3]!
    ]
  ] as const) {
    it.effect(
      `are all answered, in order, to a slow and steady reader: ${what}`,
      () =>
        Effect.gen(function* () {
          const { port } = yield* station()
          const numbers = Array.from({ length: 200 }, (_, at) => at + 2)
          const socket = yield* Effect.acquireRelease(
            Effect.sync(() => connect({ port, host: "127.0.0.1" })),
            (socket) => Effect.sync(() => socket.destroy())
          )
          const all: Array<Buffer> = []
          const got = { bytes: 0, goalBytes: 0, isClosed: false }
          socket
            .on("error", () => undefined)
            .on("close", () => void (got.isClosed = true))
            .on("data", (bytes) => {
              all.push(bytes)
              got.bytes += bytes.length
              if (got.bytes >= got.goalBytes) socket.pause()
            })
            .pause()
          socket.write(numbers.map((at) => get(pathOf(at))).join(""))
          // The body of the last one is in the last step.
          const wholeBytes = numbers.length * bodyBytes
          while (got.bytes < wholeBytes && !got.isClosed) {
            got.goalBytes = Math.min(got.bytes + 524_288, wholeBytes)
            socket.resume()
            yield* awaitTrue(() => got.bytes >= got.goalBytes || got.isClosed)
            yield* turns(20)
            yield* TestClock.adjust(listenerStallMs / 2)
          }
          expect(
            [
              ...Buffer.concat(all)
                .toString("latin1")
                .matchAll(/<<(\d+)>>/g)
            ].map(([, number]) => Number(number))
          ).toEqual(numbers)
        }),
      300_000
    )
  }

  it.effect("are not read on behind unanswered ones, also where each begins with the end of a body", () =>
    Effect.gen(function* () {
      const { asked, port } = yield* station()
      const withBody = (path: string) => get(path, "content-length: 1")
      const attack = yield* client(port, Array(1_000).fill(withBody("/api/1")).join("x"))
      yield* attack.readUntil(({ bytes }) => bytes.includes("<<1>>"))
      // A few short heads are read at once.
      expect(asked()).toBeLessThan(30)
      const numbers = Array.from({ length: 20 }, (_, at) => `${at + 2}`)
      const patient = yield* client(port, numbers.map((number) => `${withBody(`/api/${number}`)}x`).join(""))
      const all = yield* patient.readUntil(({ bytes }) => bytes.includes("<<21>>"))
      expect([...all.toString("latin1").matchAll(/<<(\d+)>>/g)].map(([, number]) => number)).toEqual(numbers)
    })
  )

  it.effect("wait unread behind a pending answer, and nothing stays of a disconnected client", () =>
    Effect.gen(function* () {
      const { asked, live, port } = yield* station()
      let waiting = 0
      live.part = () =>
        Effect.suspend(() => {
          waiting += 1
          return Effect.never
        }).pipe(Effect.onInterrupt(() => Effect.sync(() => (waiting -= 1))))
      const held = yield* client(port, get("/live/aac128/p1.0.m4s"))
      yield* awaitTrue(() => waiting === 1)
      const attack = yield* flood(
        port,
        get("/live/aac128/p1.0.m4s") + get("/live/aac128/s1.m4s"),
        (takenBytes) => takenBytes > kernelMaxBytes
      )
      yield* rest(() => attack.takenBytes + asked())
      expect([attack.takenBytes < kernelMaxBytes, asked(), waiting]).toEqual([true, 0, 1])
      attack.socket.resetAndDestroy()
      held.socket.destroy()
      yield* TestClock.adjust(listenerStallMs + 3 * connectionsCheckMs)
      yield* awaitTrue(() => waiting === 0)
    })
  )

  it.effect("wait unread behind an event stream", () =>
    Effect.gen(function* () {
      const { asked, port } = yield* station()
      const attack = yield* flood(
        port,
        get("/api/events") + get("/api/1"),
        (takenBytes) => takenBytes > kernelMaxBytes || asked() > 1
      )
      yield* awaitTrue(() => asked() === 1)
      yield* rest(() => attack.takenBytes + asked())
      expect([attack.takenBytes < kernelMaxBytes, asked()]).toEqual([true, 1])
    })
  )

  it.effect("behind an MP3 stream, which has no end, end the connection", () =>
    Effect.gen(function* () {
      const { listeners, port } = yield* station()
      const { readUntil } = yield* client(port, get("/api/3") + get("/live.mp3") + get("/api/4"))
      const text = (yield* readUntil(({ closed }) => closed)).toString("latin1")
      expect(text).toContain("<<3>>")
      expect(text).not.toContain("<<4>>")
      yield* awaitTrue(() => listeners.count(0).mp3 === 0)
    })
  )

  it.effect("with a body get the body first, and the next one its answer after it", () =>
    Effect.gen(function* () {
      const { port } = yield* station()
      const body = "\r\n\r\n".repeat(2_000)
      const { readUntil } = yield* client(
        port,
        `POST /api/5 HTTP/1.1\r\nhost: a\r\ncontent-length: ${body.length}\r\n\r\n${body}${get("/api/6")}${get("/live/aac128/s7.m4s", "connection: close")}`
      )
      const bytes = yield* readUntil(({ closed }) => closed)
      expect(
        [...bytes.toString("latin1").matchAll(/HTTP\/1.1 (\d+)|<<(\d+)>>/g)].map(
          ([, status, number]) => status ?? number
        )
      ).toEqual(["200", "5", "200", "6", "200", "7"])
    })
  )

  it.effect(
    "beyond the shared memory are disconnected, those of the heaviest address first; others keep their place",
    () =>
      Effect.gen(function* () {
        const heldMaxBytes = 2 * 1_048_576
        const { live, port } = yield* station({ heldMaxBytes })
        const arrives = yield* Deferred.make<LiveAnswer>()
        live.part = () => Deferred.await(arrives)
        const patient = yield* client(port, get("/live/aac128/p1.0.m4s") + get("/live/aac128/s8.m4s"), "127.0.0.2")
        const attacks = yield* Effect.forEach(Array.from({ length: 60 }), (_, at) =>
          flood(
            port,
            get(at % 2 === 0 ? "/live/aac128/p1.0.m4s" : "/api/events"),
            (takenBytes) => takenBytes > kernelMaxBytes
          )
        )
        const left = () => attacks.filter(({ isClosed }) => !isClosed)
        yield* rest(() => left().length + attacks.reduce((sum, { takenBytes }) => sum + takenBytes, 0))
        // They hold one read each.
        expect(left().length).toBeGreaterThan(0)
        expect(left().length).toBeLessThanOrEqual(heldMaxBytes / 65_536)
        yield* Deferred.succeed(arrives, {
          _tag: "Found",
          object: { contentType: "audio/mp4", body: Buffer.from("arrived"), maxAgeSec: 1 }
        })
        expect(
          (yield* patient.readUntil(({ bytes }) => bytes.includes("<<8>>"))).toString("latin1").match(/arrived|<<8>>/g)
        ).toEqual(["arrived", "<<8>>"])
      })
  )

  it.effect("are not required: large unread answers are bounded in the same way", () =>
    Effect.gen(function* () {
      const { port } = yield* station({ heldMaxBytes: 3 * hugeBytes })
      const attacks = yield* Effect.forEach(Array.from({ length: 12 }), () =>
        flood(port, get("/api/huge"), (takenBytes) => takenBytes > kernelMaxBytes)
      )
      const left = () => attacks.filter(({ isClosed }) => !isClosed)
      yield* rest(() => left().length + attacks.reduce((sum, { takenBytes }) => sum + takenBytes, 0))
      expect(left().length).toBeGreaterThan(0)
      expect(left().length).toBeLessThanOrEqual(3)
      yield* (yield* client(port, get("/api/9"), "127.0.0.2")).readUntil(({ bytes }) => bytes.includes("<<9>>"))
    })
  )
})
