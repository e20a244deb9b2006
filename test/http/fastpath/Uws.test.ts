import { afterEach, describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { readFileSync } from "node:fs"
import type { LiveAnswer } from "../../../engine/ports/Live.ts"
import { Piece } from "../../../http/stream/events/EventFanout.ts"
import { SinkOf } from "../../../http/stream/events/SinkOf.ts"
import { isUwsHere, loadUws, type Uws } from "../../../http/fastpath/Uws.ts"
import { makeUwsServer } from "../../../http/fastpath/UwsServer.ts"
import { bodyOf, client, awaitTrue, flood, get, serve } from "../../support/http/ListenServer.ts"
import { makeUwsDouble } from "../../support/http/UwsDouble.ts"

const answers =
  (count: number) =>
  ({ bytes }: { readonly bytes: Buffer }) =>
    bytes.toString("latin1").split(/HTTP\/1\.1 \d/).length > count
const headOf = (bytes: Buffer) =>
  bytes
    .subarray(0, bytes.indexOf("\r\n\r\n"))
    .toString()
    .split("\r\n")
    .map((line) => line.replace(/^[\w-]+:/, (name) => name.toLowerCase()))
    .filter((line) => !/^(date|connection|keep-alive|x-request-id|uwebsockets|transfer-encoding):/i.test(line))
    .sort()

/** The stream on this server, and on Node's for comparison. */
const served = Effect.fnUntraced(function* (uws: Uws, connectionsMax = 100) {
  const stream = yield* serve()
  const server = yield* makeUwsServer({
    uws,
    host: "127.0.0.1",
    port: 0,
    connectionsMax,
    hls: stream.hls,
    answers: stream.answers
  })
  return { ...stream, nodePort: stream.port, port: server.port, open: server.open }
})

/** The server's contract, with either implementation of uWebSockets.js. */
const promised = (uwsOf: () => Uws) => {
  it.live("answers like Node's server, head and body", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { nodePort, port } = yield* served(uwsOf())
        for (const [method, path] of [
          ["GET", "aac128/index.m3u8"],
          ["GET", "aac128/s1.m4s"],
          ["HEAD", "aac128/s1.m4s"],
          ["GET", "aac128/p1.0.m4s"],
          ["GET", "index.m3u8?start=-60"],
          ["OPTIONS", "index.m3u8"],
          ["GET", "aac128/s2.m4s"],
          ["POST", "aac128/s1.m4s"],
          ["GET", "aac128/index.m3u8?_HLS_part=1"]
        ] as const) {
          const of = (at: number) =>
            Effect.scoped(
              Effect.gen(function* () {
                const { readUntil } = yield* client(
                  at,
                  `${method} /live/${path} HTTP/1.1\r\nhost: a\r\naccept-encoding: gzip\r\nconnection: close\r\n\r\n`
                )
                const bytes = yield* readUntil(({ closed }) => closed)
                return {
                  head: headOf(bytes),
                  body: bodyOf(bytes)
                    .toString()
                    .replaceAll(/req_\w+/g, "req")
                }
              })
            )
          expect({ method, path, ...(yield* of(port)) }).toEqual({ method, path, ...(yield* of(nodePort)) })
        }
      })
    )
  )

  it.live("holds a request for a coming part, answers it, and cancels the wait when the client goes", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { live, port } = yield* served(uwsOf())
        const arrives = yield* Deferred.make<LiveAnswer>()
        let waiting = 0
        live.part = (_rendition, msn) =>
          Effect.suspend(() => {
            waiting += 1
            return msn === 1 ? Deferred.await(arrives) : Effect.never
          }).pipe(Effect.onInterrupt(() => Effect.sync(() => (waiting -= 1))))
        const [held, leaving] = [
          yield* client(port, get("/live/aac128/p1.0.m4s")),
          yield* client(port, get("/live/aac128/p2.0.m4s"))
        ]
        yield* awaitTrue(() => waiting === 2)
        leaving.socket.destroy()
        yield* awaitTrue(() => waiting === 1)
        yield* Deferred.succeed(arrives, {
          _tag: "Found",
          object: { contentType: "audio/mp4", body: Buffer.from("arrived"), maxAgeSec: 1 }
        })
        expect(bodyOf(yield* held.readUntil(({ bytes }) => bytes.includes("arrived"))).toString()).toBe("arrived")
        held.socket.write(get("/live/aac128/s1.m4s"))
        expect((yield* held.readUntil(answers(2))).toString()).toContain("segment")
      })
    )
  )

  it.live("sends event streams through the API, and nothing else", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { open, port } = yield* served(uwsOf())
        const status = (path: string) =>
          Effect.promise(async () => {
            const response = await fetch(`http://127.0.0.1:${port}${path}`)
            return [response.status, ((await response.json()) as { readonly code?: string }).code]
          })
        expect(yield* status("/api/now-playing")).toEqual([503, "BUSY"])
        const asked: Array<string> = []
        let left = 0
        let tell: (text: string) => void = () => undefined
        yield* open(
          Effect.gen(function* () {
            const request = yield* HttpServerRequest.HttpServerRequest
            const sinkOf = yield* SinkOf
            asked.push(
              `${request.method} ${request.url} ${request.headers["last-event-id"] ?? ""} ${(request.source as unknown as { readonly socket: { readonly remoteAddress: string } }).socket.remoteAddress}`
            )
            if (request.url.includes("refused"))
              return HttpServerResponse.jsonUnsafe(
                { code: "INVALID_FIELD" },
                { status: 400, headers: { "x-request-id": "req_1" } }
              )
            return HttpServerResponse.stream(
              Stream.fromEffectDrain(
                Effect.callback<void>((resume) => {
                  const sink = sinkOf(request, () => resume(Effect.void))
                  sink.write(new Piece(Buffer.from("retry: 3000\n\n")))
                  tell = (text) => (text === "" ? sink.end() : sink.write(new Piece(Buffer.from(text))))
                  return Effect.sync(() => void (left += 1))
                })
              ),
              { contentType: "text/event-stream", headers: { "cache-control": "no-store" } }
            )
          })
        )
        expect(yield* status("/api/now-playing?refused=1")).toEqual([400, "INVALID_FIELD"])
        expect(yield* status("/api/v1/agents/me")).toEqual([404, "NOT_FOUND"])
        expect(yield* status("/live.mp3")).toEqual([404, "NOT_FOUND"])
        const reader = yield* client(port, get("/api/station/chat/events?lastEventId=4", "last-event-id: 5"))
        expect(headOf(yield* reader.readUntil(({ bytes }) => bytes.includes("retry: 3000")))).toEqual([
          "HTTP/1.1 200 OK",
          "cache-control: no-store",
          "content-type: text/event-stream"
        ])
        expect(asked.at(-1)).toBe("GET /api/station/chat/events?lastEventId=4 5 127.0.0.1")
        tell("data: one\n\n")
        yield* reader.readUntil(({ bytes }) => bytes.includes("data: one"))
        reader.socket.destroy()
        yield* awaitTrue(() => left === 1)
        const last = yield* client(port, get("/api/now-playing?format=sse", "connection: close"))
        yield* last.readUntil(({ bytes }) => bytes.includes("retry"))
        tell("")
        yield* last.readUntil(({ closed }) => closed)
      })
    )
  )

  it.live(
    "tracks unread bytes of a slow reader, and continues when there is room",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const { open, port } = yield* served(uwsOf())
          let backlog = () => 0
          let tell: (bytes: Buffer) => void = () => undefined
          yield* open(
            Effect.gen(function* () {
              const request = yield* HttpServerRequest.HttpServerRequest
              const sinkOf = yield* SinkOf
              return HttpServerResponse.stream(
                Stream.fromEffectDrain(
                  Effect.callback<void>((resume) => {
                    const sink = sinkOf(request, () => resume(Effect.void))
                    backlog = sink.backlogBytes
                    tell = (bytes) => sink.write(new Piece(bytes))
                    tell(Buffer.from("begin\n\n"))
                  })
                ),
                { contentType: "text/event-stream" }
              )
            })
          )
          const { socket, readUntil } = yield* client(port, get("/api/now-playing?format=sse"))
          yield* readUntil(({ bytes }) => bytes.includes("begin"))
          expect(backlog()).toBe(0)
          socket.pause()
          let tail = ""
          let hasEnded = false
          // The following bytes are too many to keep: only their end is checked.
          socket.removeAllListeners("data").on("data", (bytes: Buffer) => {
            tail = `${tail.slice(-40)}${bytes.toString("latin1", Math.max(0, bytes.length - 40))}`
            hasEnded ||= tail.includes("the end")
          })
          socket.pause()
          // More than the kernel buffers.
          tell(Buffer.alloc(16 * 1_048_576, "x"))
          tell(Buffer.from("the end\n\n"))
          expect(backlog()).toBeGreaterThan(16 * 1_048_576)
          socket.resume()
          yield* awaitTrue(() => hasEnded && backlog() === 0)
        })
      ),
    300_000
  )

  it.live("prepares no more answers than a reader takes, and disconnects one that requests more", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { live, port } = yield* served(uwsOf())
        const body = Buffer.alloc(65_536, "x")
        const large = Buffer.from(Array.from({ length: 1_048_576 }, (_, at) => `${at} `).join(""))
        const mostBytes = 16 * 1_048_576
        let asked = 0
        live.segment = (_rendition, msn) => {
          if (msn !== 2) asked += 1
          return Effect.succeed({
            _tag: "Found",
            object: { contentType: "audio/mp4", body: msn === 2 ? large : body, maxAgeSec: 1 }
          })
        }
        const attack = yield* flood(
          port,
          get("/live/aac128/s1.m4s"),
          (takenBytes) => takenBytes > mostBytes || asked * body.length > mostBytes
        )
        yield* awaitTrue(() => attack.isClosed || asked * body.length > mostBytes)
        expect(asked * body.length).toBeLessThanOrEqual(mostBytes)
        // More than the kernel accepts at once arrives complete.
        const { readUntil } = yield* client(port, get("/live/aac128/s2.m4s"))
        expect(bodyOf(yield* readUntil(({ bytes }) => bytes.length > large.length)).equals(large)).toBe(true)
      })
    )
  )

  it.live("refuses excess connections with an error, then closes them", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { port } = yield* served(uwsOf(), 1)
        yield* (yield* client(port, get("/live/aac128/s1.m4s"))).readUntil(answers(1))
        const { readUntil } = yield* client(port, get("/live/aac128/s1.m4s"))
        expect((yield* readUntil(answers(1))).toString()).toMatch(/^HTTP\/1\.1 503 [\s\S]*BUSY/)
      })
    )
  )
}

describe("uWebSockets.js, without it", () => {
  it.effect("names the missing package, and what to do", () =>
    Effect.gen(function* () {
      const missing = (name: string): never => {
        throw Object.assign(new Error(`Cannot find module '${name}'`), { code: "MODULE_NOT_FOUND" })
      }
      expect((yield* Effect.flip(loadUws(missing))).message).toBe(
        "UWS_PORT is set: uWebSockets.js is not installed. It must be left out, or uWebSockets.js be there: npm install --no-save uNetworking/uWebSockets.js#v20.52.0"
      )
      const unfit = (): never => {
        throw new Error("This version of uWS.js supports only Node.js versions 20, 22, 23 and 24\non some systems")
      }
      expect((yield* Effect.flip(loadUws(unfit))).message).toMatch(
        /^UWS_PORT is set: uWebSockets\.js can't be loaded \(This version of uWS\.js supports only Node\.js versions 20, 22, 23 and 24\)\./
      )
    })
  )

  it("is loaded by nothing else", () => {
    expect(readFileSync("http/fastpath/UwsServer.ts", "utf8")).not.toMatch(/from "uWebSockets/)
  })
})

describe("uWebSockets.js, its rules checked by a double", () => {
  let double = makeUwsDouble()
  afterEach(() => expect(double.broken).toEqual([]))
  promised(() => (double = makeUwsDouble()).uws)

  it.live("are kept while players come, wait and go", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { live, port } = yield* served((double = makeUwsDouble()).uws)
        const arrives = yield* Deferred.make<LiveAnswer>()
        live.part = () => Deferred.await(arrives)
        const players = yield* Effect.forEach(Array.from({ length: 40 }), () =>
          client(port, get("/live/aac128/p1.0.m4s"))
        )
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        for (const { socket } of players.slice(0, 20)) socket.destroy()
        yield* Deferred.succeed(arrives, {
          _tag: "Found",
          object: { contentType: "audio/mp4", body: Buffer.from("arrived"), maxAgeSec: 1 }
        })
        yield* Effect.forEach(players.slice(20), ({ readUntil }) => readUntil(({ bytes }) => bytes.includes("arrived")))
        expect(double.broken).toEqual([])
      })
    )
  )
})

describe.skipIf(!isUwsHere())(
  `uWebSockets.js itself${isUwsHere() ? "" : " (skipped: it is not on the registry, and nobody has brought it here)"}`,
  () => {
    promised(() => Effect.runSync(loadUws()))
  }
)
