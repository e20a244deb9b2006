import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import { assert, constantFrom, property, string } from "fast-check"
import { listenerStallMs } from "../../../engine/rules/air/limits.ts"
import { headersTimeoutMs, keepAliveMs } from "../../../engine/rules/http/limits.ts"
import type { LiveAnswer } from "../../../engine/ports/Live.ts"
import { laneRequest } from "../../../http/fastpath/FastPathRequest.ts"
import { makeServer } from "../../../http/server/Server.ts"
import { bodyOf, client, awaitTrue, get, serve, soundOf } from "../../support/http/ListenServer.ts"

/** The station's server with the fast path, and the same stream on a server without it. */
const lane = Effect.fnUntraced(function* () {
  const served = yield* serve()
  let passed = 0
  const { port } = yield* makeServer({
    host: "127.0.0.1",
    port: 0,
    publicUrl: "http://station.test",
    players: served.players,
    listen: (request, response) => {
      passed += 1
      if (!served.handle(request, response)) response.end(`elsewhere ${request.method} ${request.url}`)
      return true
    }
  })
  return { ...served, plainPort: served.port, port, passed: () => passed }
})

const answers =
  (count: number) =>
  ({ bytes }: { readonly bytes: Buffer }) =>
    bytes.toString("latin1").split(/HTTP\/1\.1 \d/).length > count
const found = (text: string): LiveAnswer => ({
  _tag: "Found",
  object: { contentType: "audio/mp4", body: Buffer.from(text), maxAgeSec: 1 }
})
const withoutConnection = (text: string) =>
  text
    .split("\r\n")
    .filter((line) => !/^(date|connection|keep-alive|x-request-id):/i.test(line))
    .sort()

describe("the fast path", () => {
  it.effect("answers like Node's server, head and body", () =>
    Effect.gen(function* () {
      const { passed, plainPort, port } = yield* lane()
      for (const path of [
        "aac128/index.m3u8",
        "aac128/s1.m4s",
        "aac64/init.mp4",
        "index.m3u8",
        "aac128/p1.0.m4s",
        "aac128/s2.m4s",
        "nothing"
      ]) {
        const of = (at: number) =>
          Effect.scoped(
            Effect.gen(function* () {
              const { readUntil } = yield* client(
                at,
                get(`/live/${path}`, "accept-encoding: gzip", "connection: close")
              )
              const bytes = yield* readUntil(({ closed }) => closed)
              return {
                head: withoutConnection(bytes.subarray(0, bytes.indexOf("\r\n\r\n")).toString()),
                body: bodyOf(bytes)
                  .toString()
                  .replaceAll(/req_\w+/g, "req")
              }
            })
          )
        const [here, there] = [yield* of(port), yield* of(plainPort)]
        expect({ path, ...here, body: here.body.replaceAll("station.test", "localhost:8080") }).toEqual({
          path,
          ...there,
          body: there.body.replaceAll("station.test", "localhost:8080")
        })
      }
      expect(passed()).toBe(0)
    })
  )

  it.effect("gives the endless stream as Node's server does, also to browsers, and ends it when anything follows", () =>
    Effect.gen(function* () {
      const { listeners, passed, plainPort, port, setBurst } = yield* lane()
      setBurst([Buffer.from("burst")])
      for (const lines of [[], ["icy-metadata: 1"], ["range: bytes=0-"], ["connection: close"]]) {
        const [here, there] = yield* Effect.forEach([port, plainPort], (at) =>
          Effect.scoped(
            Effect.flatMap(client(at, get("/live.mp3?session=a", ...lines)), ({ readUntil }) =>
              readUntil(soundOf("burst".length))
            )
          )
        )
        expect(here!.toString()).toContain("HTTP/1.1 200 OK")
        expect(here!.toString()).toBe(there!.toString())
      }
      expect(passed()).toBe(0)
      yield* awaitTrue(() => listeners.count(0).mp3 === 0)
      const { readUntil, socket } = yield* client(port, get("/live.mp3"))
      yield* readUntil(soundOf("burst".length))
      expect(listeners.count(0).mp3).toBe(1)
      // A client that ends its side has gone.
      socket.end()
      yield* awaitTrue(() => listeners.count(0).mp3 === 0)
      for (const after of [get("/live.mp3"), "x"]) {
        const { readUntil } = yield* client(port, get("/live.mp3") + after)
        yield* readUntil(({ closed }) => closed)
        yield* awaitTrue(() => listeners.count(0).mp3 === 0)
      }
      const late = yield* client(port, get("/live.mp3"))
      yield* late.readUntil(soundOf("burst".length))
      late.socket.write("x")
      yield* late.readUntil(({ closed }) => closed)
      yield* awaitTrue(() => listeners.count(0).mp3 === 0)
    })
  )

  it.effect("passes on all other requests with all their bytes, first or later ones", () =>
    Effect.gen(function* () {
      const { passed, port } = yield* lane()
      const first = yield* client(port, get("/live/aac128/s1.m4s"))
      yield* first.readUntil(answers(1))
      expect(passed()).toBe(0)
      first.socket.write(
        `POST /api HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\nhi${get("/live/aac128/s1.m4s")}${get("/after")}`
      )
      const text = (yield* first.readUntil(({ bytes }) => bytes.includes("elsewhere GET /after"))).toString()
      expect(text.match(/HTTP\/1\.1 200 OK/g)?.length).toBe(4)
      expect(text.indexOf("elsewhere POST /api")).toBeGreaterThan(text.indexOf("segment"))
      expect(passed()).toBe(3)
      for (const said of [
        "GET /live/aac128/s1.m4s HTTP/1.1\r\nhost: a\r\nrange: bytes=0-1\r\n\r\n",
        "HEAD /live/aac128/s1.m4s HTTP/1.1\r\nhost: a\r\n\r\n",
        "GET /live/aac128/s1.m4s HTTP/1.0\r\n\r\n"
      ]) {
        const before = passed()
        yield* (yield* client(port, said)).readUntil(answers(1))
        expect([said, passed()]).toEqual([said, before + 1])
      }
    })
  )

  it.effect("reads a request that arrives in pieces", () =>
    Effect.gen(function* () {
      const { port } = yield* lane()
      const { socket, readUntil } = yield* client(port, "GET /live/aac128/s1.m4s HT")
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      socket.write("TP/1.1\r\nhost: a\r\n\r\n")
      expect(bodyOf(yield* readUntil(({ bytes }) => bytes.includes("segment"))).toString()).toBe("segment")
    })
  )

  it.effect("answers in the order of the requests, also behind a pending answer", () =>
    Effect.gen(function* () {
      const { live, passed, port } = yield* lane()
      const arrives = yield* Deferred.make<LiveAnswer>()
      let asked = 0
      live.part = () =>
        Effect.suspend(() => {
          asked += 1
          return Deferred.await(arrives)
        })
      const held = yield* client(
        port,
        get("/live/aac128/s1.m4s") + get("/live/aac128/p1.0.m4s") + get("/live/aac128/s1.m4s")
      )
      const together = yield* client(port, get("/live/aac128/p1.0.m4s"))
      yield* held.readUntil(answers(1))
      yield* awaitTrue(() => asked === 1)
      held.socket.write(get("/after"))
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      yield* Deferred.succeed(arrives, found("arrived"))
      const text = (yield* held.readUntil(({ bytes }) => bytes.includes("elsewhere"))).toString()
      expect(text.match(/segment|arrived|elsewhere GET \/after/g)).toEqual([
        "segment",
        "arrived",
        "segment",
        "elsewhere GET /after"
      ])
      yield* together.readUntil(({ bytes }) => bytes.includes("arrived"))
      expect([asked, passed()]).toEqual([1, 1])
    })
  )

  it.effect("cancels a wait only when its last requester has gone", () =>
    Effect.gen(function* () {
      const { live, port } = yield* lane()
      let waiting = 0
      live.part = () =>
        Effect.suspend(() => {
          waiting += 1
          return Effect.never
        }).pipe(Effect.onInterrupt(() => Effect.sync(() => (waiting -= 1))))
      const both = yield* Effect.forEach([1, 2], () => client(port, get("/live/aac128/p1.0.m4s")))
      yield* awaitTrue(() => waiting === 1)
      both[0]!.socket.destroy()
      const other = yield* client(port, get("/live/aac128/s1.m4s"))
      yield* other.readUntil(answers(1))
      expect(waiting).toBe(1)
      both[1]!.socket.end()
      yield* awaitTrue(() => waiting === 0)
    })
  )

  it.effect("closes silent, answered and waiting connections, each after its own timeout", () =>
    Effect.gen(function* () {
      const { live, port } = yield* lane()
      live.part = () => Effect.never
      const [silent, served, waiting] = [
        yield* client(port, ""),
        yield* client(port, get("/live/aac128/s1.m4s")),
        yield* client(port, get("/live/aac128/p1.0.m4s"))
      ]
      yield* served.readUntil(answers(1))
      const closed = (each: typeof silent) => each.socket.destroyed || each.socket.readableEnded
      yield* TestClock.adjust(Math.max(headersTimeoutMs, keepAliveMs) + 5_000)
      yield* awaitTrue(() => closed(silent) && closed(served))
      expect(closed(waiting)).toBe(false)
      yield* TestClock.adjust(listenerStallMs)
      yield* awaitTrue(() => closed(waiting))
    })
  )

  it("accepts no request with an ambiguous end or meaning", () => {
    const good = "GET /live/a HTTP/1.1\r\nhost: a\r\n\r\n"
    expect(laneRequest(Buffer.from(good), null)?.request).toMatchObject({
      target: "/live/a",
      keepsAlive: true,
      bytes: good.length
    })
    const bad = [
      "GET /live/a HTTP/1.1\r\n\r\n",
      "GET /live/a HTTP/1.1\nhost: a\n\n",
      "GET  /live/a HTTP/1.1\r\nhost: a\r\n\r\n",
      "GET /live/a b HTTP/1.1\r\nhost: a\r\n\r\n",
      "get /live/a HTTP/1.1\r\nhost: a\r\n\r\n",
      ...[
        "content-length: 0",
        "Content-Length: 5",
        "transfer-encoding: chunked",
        "upgrade: websocket",
        "expect: 100-continue",
        "connection: upgrade",
        "host: b",
        " folded: a",
        "name : a",
        "na me: a",
        "a: \0",
        "a: b\rc",
        "a: b\nc: d",
        ": a",
        "nothing",
        `a:${" ".repeat(8_000)}\0`,
        `a: ${"b".repeat(9_000)}`
      ].map((line) => `GET /live/a HTTP/1.1\r\nhost: a\r\n${line}\r\n\r\n`)
    ]
    expect(bad.filter((text) => laneRequest(Buffer.from(text, "latin1"), null) !== null)).toEqual([])
    assert(
      property(
        string({
          unit: constantFrom(
            "\r",
            "\n",
            "\r\n",
            ":",
            " ",
            "a",
            "\t",
            "host",
            "content-length",
            "GET",
            "/live/",
            "HTTP/1.1",
            "0"
          )
        }),
        (noise) => {
          const read = laneRequest(Buffer.from(`GET /live/a HTTP/1.1\r\nhost: a\r\n${noise}`, "latin1"), null)
          // If the fast path accepts a head, it ends at the first empty line, as for any parser.
          if (read !== null) {
            const head = `GET /live/a HTTP/1.1\r\nhost: a\r\n${noise}`.slice(0, read.request.bytes)
            expect(head.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/)
            expect(head.indexOf("\r\n\r\n")).toBe(head.length - 4)
          }
        }
      )
    )
  })
})
