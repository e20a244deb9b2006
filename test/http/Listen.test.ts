import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { createServer } from "node:http"
import { connect } from "node:net"
import { gunzipSync } from "node:zlib"
import { FrameChecker, frameBytes, numberedFrames } from "../../bench/NumberedFrames.ts"
import { StationConfig } from "../../engine/Config.ts"
import { hlsSessionSec, icyIntervalBytes, mp3BatchMs, mp3PerAddressMax, mp3StallMs } from "../../engine/Limits.ts"
import { Live } from "../../engine/ports/Live.ts"
import { Listen } from "../../http/Listen.ts"
import { Listeners } from "../../http/Listeners.ts"
import { ItemLabel } from "../../schema/Air.ts"
import { makeLiveDouble } from "../support/LiveDouble.ts"

const serve = Effect.fnUntraced(function*(settings: Record<string, string> = {}) {
  const double = makeLiveDouble()
  const context = yield* Layer.build(Listen.layer.pipe(Layer.provide(Layer.succeed(Live, double.live)), Layer.provide(StationConfig.fromEnvironment(settings))))
  const { handle, listeners } = yield* Listen.pipe(Effect.provideContext(context))
  const server = createServer((request, response) => {
    if (!handle(request, response)) response.writeHead(418).end()
  })
  server.on("clientError", (_error, socket) => socket.destroy())
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () => Effect.sync(() => {
      server.closeAllConnections()
      server.close()
    })
  )
  const { port } = server.address() as { readonly port: number }
  const ask = (path: string, init: RequestInit = {}) => Effect.promise(() => fetch(`http://127.0.0.1:${port}${path}`, init))
  return { ...double, listeners, port, ask }
})

/** A bare client that keeps what came and can wait for more; its socket goes with the scope. */
const client = (port: number, text: string, localAddress = "127.0.0.1") => Effect.acquireRelease(Effect.sync(() => {
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
  const until = (isEnough: (state: { readonly bytes: Buffer; readonly closed: boolean }) => boolean) => Effect.callback<Buffer>((resume) => {
    state.look = () => {
      if (isEnough(state)) resume(Effect.succeed(state.bytes))
    }
    state.look()
  })
  return { socket, until, head: Effect.map(until(({ bytes }) => bytes.includes("\r\n\r\n")), (bytes) => bytes.subarray(0, bytes.indexOf("\r\n\r\n")).toString()) }
}), ({ socket }) => Effect.sync(() => socket.destroy()))

const get = (path: string, ...lines: ReadonlyArray<string>) => [`GET ${path} HTTP/1.1`, "host: station", ...lines, "", ""].join("\r\n")

const bodyOf = (bytes: Buffer) => bytes.subarray(bytes.indexOf("\r\n\r\n") + 4)
const soundOf = (bytes: number) => (state: { readonly bytes: Buffer }) => state.bytes.includes("\r\n\r\n") && bodyOf(state.bytes).length >= bytes

/** Waits in real time for what the kernel does; the station's own time stands still meanwhile. */
const eventually = (holds: () => boolean): Effect.Effect<void> =>
  Effect.promise(async () => {
    while (!holds()) await new Promise((resolve) => setImmediate(resolve))
  })

const checked = (bytes: Buffer) => {
  const checker = new FrameChecker()
  checker.take(bytes)
  return { frames: checker.frames, faults: checker.faults, strays: checker.strayBytes }
}

describe("Listen, MP3", () => {
  it.effect("begins with the burst, at a frame, and goes on where it ended, in whole frames", () => Effect.gen(function*() {
    const { port, send, setBurst } = yield* serve()
    setBurst([numberedFrames(0, 5), numberedFrames(5, 5)])
    const { until, head } = yield* client(port, get("/live.mp3"))
    expect(yield* head).toMatch(/^HTTP\/1\.1 200 OK\r\ncontent-type: audio\/mpeg\r\n/)
    expect(bodyOf(yield* until(soundOf(10 * frameBytes))).length).toBe(10 * frameBytes)
    send({ _tag: "Frames", bytes: numberedFrames(10, 3), firstSample: 0 })
    send({ _tag: "Frames", bytes: numberedFrames(13, 4), firstSample: 0 })
    yield* TestClock.adjust(mp3BatchMs)
    expect(checked(bodyOf(yield* until(soundOf(17 * frameBytes))))).toEqual({ frames: 17, faults: 0, strays: 0 })
  }))

  it.effect("puts titles between the sound exactly where it said, once each", () => Effect.gen(function*() {
    const { port, send, setBurst } = yield* serve()
    setBurst([numberedFrames(0, 100)])
    const { until, head } = yield* client(port, get("/api/station/listen", "icy-metadata: 1"))
    expect(yield* head).toContain(`icy-metaint: ${icyIntervalBytes}`)
    send({ _tag: "Label", label: new ItemLabel({ title: "What's; on", artist: "Wren", kind: "music" }) })
    send({ _tag: "Frames", bytes: numberedFrames(100, 150), firstSample: 0 })
    yield* TestClock.adjust(mp3BatchMs)
    let rest = bodyOf(yield* until(soundOf(250 * frameBytes)))
    const sound: Array<Buffer> = []
    const titles: Array<string> = []
    while (rest.length > icyIntervalBytes) {
      sound.push(rest.subarray(0, icyIntervalBytes))
      const length = rest[icyIntervalBytes]! * 16
      titles.push(rest.subarray(icyIntervalBytes + 1, icyIntervalBytes + 1 + length).toString().replaceAll("\0", ""))
      rest = rest.subarray(icyIntervalBytes + 1 + length)
    }
    const whole = Buffer.concat([...sound, rest])
    expect(checked(whole.subarray(0, whole.length - whole.length % frameBytes)).faults).toBe(0)
    expect(titles.slice(0, 4)).toEqual(["StreamTitle='Longwave';", "", "StreamTitle='Wren - What’s, on';", ""])
  }))

  it.effect("gives up a reader that takes nothing, by time, and counts it out", () => Effect.gen(function*() {
    const { listeners, port, send } = yield* serve()
    const { socket, head } = yield* client(port, get("/live.mp3"))
    yield* head
    socket.pause()
    // More than the kernel hides.
    send({ _tag: "Frames", bytes: Buffer.alloc(64 * 1_024 * 1_024), firstSample: 0 })
    yield* TestClock.adjust(mp3StallMs - 1_000)
    expect(listeners.counts(0).mp3).toBe(1)
    yield* TestClock.adjust(3_000)
    yield* eventually(() => listeners.counts(0).mp3 === 0)
  }))

  it.effect("holds places for as many streams of one address as one may, not for the next, and frees them", () => Effect.gen(function*() {
    const { listeners, port } = yield* serve()
    const all = yield* Effect.forEach(Array.from({ length: mp3PerAddressMax }), () => client(port, get("/live.mp3")), { concurrency: 50 })
    yield* Effect.forEach(all, ({ head }) => head, { concurrency: "unbounded" })
    expect(yield* (yield* client(port, get("/live.mp3"))).head).toMatch(/^HTTP\/1\.1 503 [\s\S]*retry-after: 30/i)
    expect(yield* (yield* client(port, get("/live.mp3"), "127.0.0.2")).head).toMatch(/^HTTP\/1\.1 200 /)
    for (const { socket } of all.slice(0, 3)) socket.destroy()
    yield* eventually(() => listeners.counts(0).mp3 === mp3PerAddressMax + 1 - 3)
    expect(yield* (yield* client(port, get("/live.mp3"))).head).toMatch(/^HTTP\/1\.1 200 /)
  }))

  it.effect("ends a stream whose client asks for more on the same connection, and frees its one place", () => Effect.gen(function*() {
    const { listeners, port } = yield* serve()
    const { until } = yield* client(port, get("/live.mp3") + get("/live.mp3"))
    const bytes = yield* until(({ closed }) => closed)
    expect(bytes.toString("latin1").split("HTTP/1.1").length).toBeLessThanOrEqual(2)
    yield* eventually(() => listeners.counts(0).mp3 === 0)
    expect(Array.from({ length: mp3PerAddressMax + 1 }, () => listeners.joinMp3({}, "127.0.0.1", 0)).filter((place) => place === "joined").length).toBe(mp3PerAddressMax)
  }))

  it.effect("tells HEAD what it would send, without taking a place", () => Effect.gen(function*() {
    const { ask, listeners } = yield* serve()
    const response = yield* ask("/live.mp3", { method: "HEAD" })
    expect([response.status, response.headers.get("content-type"), response.headers.get("cache-control"), response.headers.get("icy-br")]).toEqual([200, "audio/mpeg", "no-store", "128"])
    expect(listeners.counts(0).mp3).toBe(0)
  }))

  it.effect("follows the stream once for all, and no more when it ends", () => Effect.gen(function*() {
    const { followers } = yield* Effect.scoped(Effect.gen(function*() {
      const served = yield* serve()
      yield* (yield* client(served.port, get("/live.mp3"))).head
      expect(served.followers()).toBe(1)
      return served
    }))
    expect(followers()).toBe(0)
  }))
})

describe("Listen, HLS", () => {
  it.effect("takes no more than LISTENERS_MAX, and sends nobody away who listens", () => Effect.gen(function*() {
    const { ask, port } = yield* serve({ LISTENERS_MAX: "2" })
    const playlist = (session: string) => Effect.map(ask(`/live/aac64/index.m3u8?session=${session}`), ({ status }) => status)
    expect(yield* playlist("a")).toBe(200)
    yield* (yield* client(port, get("/live.mp3"))).head
    expect(yield* playlist("b")).toBe(503)
    expect(yield* (yield* client(port, get("/live.mp3"))).head).toMatch(/^HTTP\/1\.1 503 [\s\S]*retry-after: 10/i)
    expect(yield* playlist("a")).toBe(200)
    yield* TestClock.adjust(hlsSessionSec * 1_000)
    expect(yield* playlist("b")).toBe(200)
  }))

  it.effect("refuses in the one error format", () => Effect.gen(function*() {
    const { ask, live } = yield* serve()
    const refusal = Effect.fnUntraced(function*(path: string, init: RequestInit = {}) {
      const response = yield* ask(path, init)
      const document = (yield* Effect.promise(() => response.json())) as Record<string, unknown>
      expect(response.headers.get("content-type")).toBe("application/problem+json")
      expect(response.headers.get("cache-control")).toBe("no-store")
      expect(document).toMatchObject({ status: response.status, errors: [], type: expect.stringMatching(/\/problems\//) as unknown })
      return [response.status, document["code"]]
    })
    expect(yield* refusal("/live/aac128/index.m3u8?_HLS_msn=x")).toEqual([400, "INVALID_FIELD"])
    expect(yield* refusal("/live/aac128/index.m3u8?_HLS_part=1")).toEqual([400, "INVALID_FIELD"])
    expect(yield* refusal("/live/aac128/index.m3u8?_HLS_msn=1&_HLS_part=-1")).toEqual([400, "INVALID_FIELD"])
    expect(yield* refusal("/live/flac/index.m3u8")).toEqual([404, "NOT_FOUND"])
    expect(yield* refusal("/live/aac128/s2.m4s")).toEqual([404, "NOT_FOUND"])
    expect(yield* refusal("/live/aac128/p2.m4s")).toEqual([404, "NOT_FOUND"])
    expect(yield* refusal("/live.mp3", { method: "POST" })).toEqual([405, "METHOD_NOT_ALLOWED"])
    live.playlist = () => Effect.succeed({ _tag: "Impossible", detail: "too far ahead" })
    expect(yield* refusal("/live/aac128/index.m3u8?_HLS_msn=99")).toEqual([400, "INVALID_FIELD"])
    live.part = () => Effect.succeed({ _tag: "Late" })
    expect(yield* refusal("/live/aac128/p1.0.m4s")).toEqual([503, "BUSY"])
    live.init = () => null
    expect(yield* refusal("/live/aac128/init.mp4")).toEqual([503, "BUSY"])
  }))

  it.effect("says how long each object may be kept, to whom, and answers HEAD with the same head", () => Effect.gen(function*() {
    const { ask } = yield* serve()
    for (const [path, cache, length] of [["index.m3u8", "no-cache", "608"], ["init.mp4", "public, max-age=86400", "4"], ["s1.m4s", "public, max-age=86400", "7"], ["p1.0.m4s", "public, max-age=86400", "4"]] as const) {
      for (const method of ["GET", "HEAD"]) {
        const response = yield* ask(`/live/aac128/${path}`, { method, headers: { "accept-encoding": "identity" } })
        expect([path, response.status, response.headers.get("cache-control"), response.headers.get("access-control-allow-origin"), response.headers.get("content-length")])
          .toEqual([path, 200, cache, "*", length])
        expect((yield* Effect.promise(() => response.arrayBuffer())).byteLength).toBe(method === "HEAD" ? 0 : Number(length))
      }
    }
  }))

  it.effect("answers OPTIONS for pages of any origin", () => Effect.gen(function*() {
    const { ask } = yield* serve()
    const response = yield* ask("/live/aac128/index.m3u8", { method: "OPTIONS" })
    expect([response.status, response.headers.get("allow"), response.headers.get("access-control-allow-methods"), response.headers.get("access-control-allow-origin")])
      .toEqual([204, "GET, HEAD, OPTIONS", "GET, HEAD, OPTIONS", "*"])
  }))

  it.effect("compresses playlists for who takes that, and nothing else", () => Effect.gen(function*() {
    const { port } = yield* serve()
    const answer = Effect.fnUntraced(function*(path: string, accepted: string) {
      const { until } = yield* client(port, get(path, `accept-encoding: ${accepted}`, "connection: close"))
      const bytes = yield* until(({ closed }) => closed)
      return { isGzip: bytes.includes("content-encoding: gzip"), varies: bytes.includes("vary: accept-encoding"), body: bodyOf(bytes) }
    })
    const plain = yield* answer("/live/aac128/index.m3u8", "identity")
    const packed = yield* answer("/live/aac128/index.m3u8", "br, gzip;q=0.5")
    expect([plain.isGzip, plain.varies, packed.isGzip, packed.varies]).toEqual([false, true, true, true])
    expect(gunzipSync(packed.body)).toEqual(plain.body)
    expect((yield* answer("/live/aac128/index.m3u8", "gzip;q=0, identity")).isGzip).toBe(false)
    expect((yield* answer("/live/aac128/s1.m4s", "gzip")).isGzip).toBe(false)
  }))

  it.effect("gives up what it waits for when the listener goes", () => Effect.gen(function*() {
    const { live, port } = yield* serve()
    let waiting = 0
    live.playlist = () => Effect.never.pipe(Effect.onInterrupt(() => Effect.sync(() => waiting -= 1)), (effect) => Effect.suspend(() => {
      waiting += 1
      return effect
    }))
    const { socket } = yield* client(port, get("/live/aac128/index.m3u8?_HLS_msn=5"))
    yield* eventually(() => waiting === 1)
    socket.destroy()
    yield* eventually(() => waiting === 0)
  }))

  it.effect("leaves what isn't the stream to others", () => Effect.gen(function*() {
    const { ask } = yield* serve()
    expect((yield* ask("/api/station")).status).toBe(418)
  }))
})

describe("Listeners", () => {
  it("counts open sockets and live sessions, never below zero and never above the house", () => {
    const act = fc.record({ what: fc.constantFrom("join", "leave", "seen", "later"), who: fc.integer({ min: 0, max: 9 }), address: fc.integer({ min: 0, max: 2 }), sec: fc.integer({ min: 0, max: 20 }) })
    fc.assert(fc.property(fc.integer({ min: 1, max: 8 }), fc.array(act, { maxLength: 200 }), (max, acts) => {
      const listeners = new Listeners(max)
      const sockets = Array.from({ length: 10 }, (_, who) => ({ who }))
      const open = new Set<number>()
      const seen = new Map<number, number>()
      let nowMs = 0
      const sessions = () => [...seen.values()].filter((ms) => ms > nowMs - hlsSessionSec * 1_000).length
      for (const { address, sec, what, who } of acts) {
        const isFull = open.size + sessions() >= max
        if (what === "later") nowMs += sec * 1_000
        if (what === "leave") {
          listeners.leaveMp3(sockets[who]!)
          open.delete(who)
        }
        if (what === "join" && listeners.joinMp3(sockets[who]!, `a${address}`, nowMs) === "joined") open.add(who)
        if (what === "seen") {
          const isKnown = (seen.get(who) ?? -Infinity) > nowMs - hlsSessionSec * 1_000
          expect(listeners.sawHls(`s${who}`, nowMs)).toBe(isKnown || !isFull)
          if (isKnown || !isFull) seen.set(who, nowMs)
        }
        expect(listeners.counts(nowMs)).toEqual({ hls: sessions(), mp3: open.size, total: sessions() + open.size })
        expect(open.size + sessions()).toBeLessThanOrEqual(max)
        expect(listeners.smoothed(nowMs).total).toBeGreaterThanOrEqual(0)
      }
      for (const { who } of sockets) listeners.leaveMp3(sockets[who]!)
      const free = Array.from({ length: max }, () => listeners.joinMp3({}, "a0", nowMs + 60_000))
      expect(free.every((place) => place === "joined")).toBe(true)
    }))
  })
})
