import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Scope, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { spawn } from "node:child_process"
import { connect } from "node:net"
import {
  bodyRateMinBytesPerSec,
  bodyRateWindowMs,
  connectionsPerAddressMax,
  connectionsRefusedMax,
  drainGraceMs,
  filesReserved
} from "../../../engine/rules/http/limits.ts"
import { Connections } from "../../../http/server/Connections.ts"
import { makeServer } from "../../../http/server/Server.ts"
import { findUndescribedProblem } from "../../support/http/Described.ts"
import { bodyOf, client, get } from "../../support/http/ListenServer.ts"

const scale = 4 / connectionsPerAddressMax

const serve = (listen: Parameters<typeof makeServer>[0]["listen"] = () => false, trustedProxies = "") =>
  makeServer({ host: "127.0.0.1", port: 0, publicUrl: "http://station.test", listen, scale, trustedProxies })

const answerTo = (port: number, text: string, address?: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { readUntil } = yield* client(port, text, address)
      return (yield* readUntil(({ bytes, closed }) => closed || bytes.length > 0)).toString()
    })
  )

/** A server in its own process, which prints its port. */
const inProcess = Effect.fnUntraced(function* ([program, ...args]: readonly [string, ...ReadonlyArray<string>]) {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] })),
    (process) =>
      Effect.callback<void>((resume) => {
        process.once("exit", () => resume(Effect.void))
        process.kill("SIGKILL")
      })
  )
  const port = Number(yield* Effect.promise(() => new Promise((resolve) => child.stdout.once("data", resolve))))
  return { child, port }
})

describe("the server", () => {
  it.effect("gives one address its share of connections and answers the next with a problem", () =>
    Effect.gen(function* () {
      const { port } = yield* serve((request, response) => {
        if (request.url === "/healthz") return false
        response.end("served")
        return true
      })
      const all = yield* Effect.forEach(Array.from({ length: 4 }), () => client(port, get("/")))
      yield* Effect.forEach(all, ({ readUntil }) => readUntil(({ bytes }) => bytes.includes("served")))
      const { readUntil } = yield* client(port, get("/live/index.m3u8"))
      const refusal = yield* readUntil(({ closed }) => closed)
      expect(refusal.toString()).toMatch(/^HTTP\/1\.1 503 [\s\S]*retry-after: 30[\s\S]*connection: close/i)
      expect(JSON.parse(bodyOf(refusal).toString())).toMatchObject({
        status: 503,
        code: "BUSY",
        type: "http://station.test/problems/busy",
        requestId: expect.stringMatching(/^req_/) as unknown
      })
      expect(yield* answerTo(port, get("/healthz"))).toMatch(
        /^HTTP\/1\.1 200 [\s\S]*connection: close[\s\S]*"ok":true/i
      )
      expect(yield* answerTo(port, get("/"), "127.0.0.2")).toContain("served")
      all[0]!.socket.destroy()
      yield* Effect.gen(function* () {
        while (!(yield* answerTo(port, get("/"))).includes("served"));
      })
    })
  )

  it.live("answers new connections before it answers the same ones again and again", () =>
    Effect.gen(function* () {
      const { open, port } = yield* makeServer({
        host: "127.0.0.1",
        port: 0,
        publicUrl: "http://station.test",
        listen: () => false
      })
      yield* open(
        Effect.sync(() => {
          const endMs = performance.now() + 2
          while (performance.now() < endMs);
          return HttpServerResponse.text("done")
        })
      )
      const counts = Array.from({ length: 60 }, () => 0)
      const sockets = counts.map((_, index) => {
        const socket = connect({ port, host: "127.0.0.1" })
        socket.write(get("/"))
        return { index, socket }
      })
      yield* Effect.callback<void>((resume) => {
        for (const { index, socket } of sockets)
          socket.on("data", () => {
            counts[index]! += 1
            if (!counts.includes(0)) return resume(Effect.void)
            socket.write(get("/"))
          })
      })
      for (const { socket } of sockets) socket.destroy()
      expect(Math.max(...counts)).toBeLessThan(6)
    })
  )

  it.effect("awaits running answers when it stops, but no event stream", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { open, port } = yield* serve()
      const finish = yield* Deferred.make<void>()
      yield* open(
        Effect.gen(function* () {
          const { url } = yield* HttpServerRequest.HttpServerRequest
          if (url === "/events")
            return HttpServerResponse.stream(Stream.concat(Stream.make(Buffer.from("data: one\n\n")), Stream.never), {
              contentType: "text/event-stream"
            })
          yield* Deferred.await(finish)
          return HttpServerResponse.text("finished")
        })
      ).pipe(Scope.provide(scope))
      const events = yield* client(port, get("/events"))
      yield* events.readUntil(({ bytes }) => bytes.includes("data: one"))
      const plain = yield* client(port, get("/plain"))
      // It has been read before an answer to a later one.
      yield* (yield* client(port, get("/events"))).readUntil(({ bytes }) => bytes.includes("data: one"))
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      for (let ms = 0; ms < drainGraceMs / 2; ms += 10) yield* TestClock.adjust(10)
      expect(closing.pollUnsafe()).toBe(undefined)
      yield* Deferred.succeed(finish, undefined)
      yield* plain.readUntil(({ bytes }) => bytes.includes("finished"))
      // Half of the time in which even a running answer is given up.
      for (let ms = 0; ms < drainGraceMs / 4; ms += 10) {
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        yield* TestClock.adjust(10)
      }
      expect(closing.pollUnsafe()).toEqual(Exit.void)
    })
  )

  it.effect("closes the connections of endless streams when it stops, which no longer belong to Node's server", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { port } = yield* serve((_, response) => {
        const { socket } = response
        response.detachSocket(socket!)
        socket!.write("sound without an end")
        return true
      }).pipe(Scope.provide(scope))
      const { readUntil } = yield* client(port, get("/live.mp3"))
      yield* readUntil(({ bytes }) => bytes.length > 0)
      yield* Scope.close(scope, Exit.void)
      expect((yield* readUntil(({ closed }) => closed)).toString()).toBe("sound without an end")
    })
  )

  it.effect("counts no connection of a trusted proxy", () =>
    Effect.gen(function* () {
      const { port } = yield* serve((_request, response) => {
        response.end("served")
        return true
      }, "127.0.0.0/8")
      const all = yield* Effect.forEach(Array.from({ length: 9 }), () => client(port, get("/")))
      yield* Effect.forEach(all, ({ readUntil }) => readUntil(({ bytes }) => bytes.includes("served")))
    })
  )

  it.effect("keeps descriptors for the station itself, and closes floods beyond that", () =>
    Effect.gen(function* () {
      const connections = new Connections({ trustedProxies: "", scale: 1_000, max: 2 })
      const closers: Array<() => void> = []
      let shut = 0
      const socket = (address: string) => {
        const double = {
          remoteAddress: address,
          once: (_event: string, close: () => void) => void closers.push(close),
          setTimeout: () => double,
          destroy: () => void (shut += 1)
        }
        connections.take(double as never)
        return connections.refusal(double)?.retryAfterSec
      }
      expect([socket("192.0.2.1"), socket("192.0.2.2"), socket("192.0.2.3")]).toEqual([undefined, undefined, 10])
      for (let more = 1; more < connectionsRefusedMax; more++) socket("192.0.2.4")
      expect(shut).toBe(0)
      socket("192.0.2.5")
      expect(shut).toBe(1)
      for (const close of closers) close()
      expect(socket("192.0.2.6")).toBe(undefined)
    })
  )

  it.effect("F15: refuses listeners before its own files run short", () =>
    Effect.gen(function* () {
      const files = filesReserved + 100
      const { port } = yield* inProcess([
        "sh",
        "-c",
        `ulimit -n ${files} && exec "$0" test/support/station/NarrowServer.ts`,
        process.execPath
      ])
      const room = Math.max(100, Math.floor(files / 2))
      const all = yield* Effect.forEach(
        Array.from({ length: room + connectionsRefusedMax / 2 }),
        () => client(port, get("/")),
        { concurrency: "unbounded" }
      )
      const answers = yield* Effect.forEach(
        all,
        ({ readUntil }) =>
          readUntil(({ bytes, closed }) => closed || bytes.includes("read ") || bytes.includes("BUSY")),
        { concurrency: "unbounded" }
      )
      const [served, refused] = [
        answers.filter((bytes) => bytes.includes("200 OK")),
        answers.filter((bytes) => bytes.includes("503 "))
      ]
      expect([served.length, refused.length]).toEqual([room, connectionsRefusedMax / 2])
      expect(served.every((bytes) => /read [1-9]/.test(bytes.toString()))).toBe(true)
    })
  )

  it.live(
    "F12: refuses API requests before its heap is full, serves the stream meanwhile, and recovers by itself",
    () =>
      Effect.gen(function* () {
        const { child, port } = yield* inProcess([
          process.execPath,
          "--max-old-space-size=160",
          "--max-semi-space-size=1",
          "test/support/station/HeapServer.ts"
        ])
        const ask = (path: string) =>
          Effect.promise(async () => {
            const response = await fetch(`http://127.0.0.1:${port}${path}`)
            return { status: response.status, after: response.headers.get("retry-after"), text: await response.text() }
          })
        const first = yield* ask("/api/station").pipe(Effect.repeat({ until: ({ status }) => status !== 200 }))
        expect([first.status, first.after, JSON.parse(first.text)]).toMatchObject([503, "10", { code: "BUSY" }])
        // Far more than the heap can hold. Memory freed by a collection is reused.
        for (let refused = 0; refused < 400;) {
          const { status } = yield* ask("/api/station")
          expect([200, 503]).toContain(status)
          if (status === 503) refused++
        }
        expect([(yield* ask("/healthz")).status, (yield* ask("/live/sound")).text]).toEqual([200, "sound 65536"])
        expect(child.exitCode).toBe(null)
        child.kill("SIGUSR2")
        yield* Effect.andThen(ask("/live/sound"), ask("/api/station")).pipe(
          Effect.repeat({ until: ({ status }) => status === 200 })
        )
      }).pipe(Effect.scoped)
  )

  it.effect("lets a body take as long as it needs at the minimum rate, and ends slower ones", () =>
    Effect.gen(function* () {
      const arrived = new Map<string, number>()
      const { port } = yield* serve((request, response) => {
        request.on("data", ({ length }: Buffer) => arrived.set(request.url!, (arrived.get(request.url!) ?? 0) + length))
        request.once("end", () => response.end("took it"))
        return true
      })
      const put = (path: string, bytes: number) =>
        client(port, [`PUT ${path} HTTP/1.1`, "host: station", `content-length: ${bytes}`, "", ""].join("\r\n"))
      const until = Effect.fnUntraced(function* (path: string, bytes: number) {
        while ((arrived.get(path) ?? 0) < bytes) yield* Effect.promise(() => new Promise(setImmediate))
      })
      const windowBytes = (bodyRateMinBytesPerSec * bodyRateWindowMs) / 1_000
      const windows = 8
      const [fair, drips] = [yield* put("/fair", windows * windowBytes * 2), yield* put("/drips", 1_000_000)]
      for (let window = 1; window <= windows; window++) {
        fair.socket.write(Buffer.alloc(windowBytes * 2))
        if (window === 1) drips.socket.write(Buffer.alloc(1_000))
        yield* until("/fair", window * windowBytes * 2)
        yield* until("/drips", 1_000)
        yield* TestClock.adjust(bodyRateWindowMs)
      }
      expect((yield* fair.readUntil(({ bytes }) => bytes.includes("took it"))).toString()).toContain("200 OK")
      const refusal = yield* drips.readUntil(({ closed }) => closed)
      expect(refusal.toString()).toMatch(/^HTTP\/1\.1 408 [\s\S]*connection: close/i)
      expect(JSON.parse(bodyOf(refusal).toString())).toMatchObject({ code: "REQUEST_TIMEOUT" })
    })
  )

  it.effect("answers invalid HTTP, a missing host, and too large headers with a problem", () =>
    Effect.gen(function* () {
      const { port } = yield* serve()
      for (const [text, status, code, pointers] of [
        ["NONSENSE\r\n\r\n", 400, "INVALID_FIELD", []],
        ["GET /live/%zz HTTP/9.9\r\nhost: a\r\n\r\n", 400, "INVALID_FIELD", []],
        ["GET /live/index.m3u8 HTTP/1.1\r\n\r\n", 400, "INVALID_FIELD", ["/headers/host"]],
        [get(`/live/${"x".repeat(20_000)}`), 413, "PAYLOAD_TOO_LARGE", []],
        [get("/", `x-much: ${"x".repeat(20_000)}`), 413, "PAYLOAD_TOO_LARGE", []]
      ] as const) {
        const { readUntil } = yield* client(port, text)
        const bytes = yield* readUntil(({ closed }) => closed)
        expect(bytes.toString()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*application/problem\\+json`))
        const problem = JSON.parse(bodyOf(bytes).toString())
        expect(problem).toMatchObject({ status, code, errors: pointers.map((pointer) => ({ pointer })) })
        expect(findUndescribedProblem(problem)).toEqual([])
      }
    })
  )

  it.effect("answers by itself while the API is starting", () =>
    Effect.gen(function* () {
      const { port } = yield* serve()
      expect(yield* answerTo(port, get("/healthz"))).toMatch(/^HTTP\/1\.1 200 [\s\S]*"ok":true/)
      expect(yield* answerTo(port, get("/readyz"))).toMatch(/^HTTP\/1\.1 503 [\s\S]*"ready":false/)
      expect(yield* answerTo(port, get("/api/station"))).toMatch(
        /^HTTP\/1\.1 503 [\s\S]*retry-after: 2[\s\S]*"code":"BUSY"[\s\S]*requestId/i
      )
    })
  )
})
