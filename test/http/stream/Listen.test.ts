import { describe, expect, it } from "@effect/vitest"
import { Effect, Metric } from "effect"
import { TestClock } from "effect/testing"
import { gunzipSync } from "node:zlib"
import { FrameChecker, frameBytes, numberedFrames } from "../../../bench/instruments/sounds/NumberedFrames.ts"
import {
  hlsSessionSec,
  hlsSessionsPerAddressMax,
  icyIntervalBytes,
  listenerStallMs,
  mp3BatchMs,
  mp3PerAddressMax,
  mp3StallMs
} from "../../../engine/rules/air/limits.ts"
import { CurrentMark } from "../../../engine/ports/CurrentMark.ts"
import type { Mp3Chunk } from "../../../engine/ports/Live.ts"
import { ItemLabel } from "../../../schema/air/Air.ts"
import { fenceHeader } from "../../../schema/air/Fence.ts"
import { markOfStation, stationMark } from "../../../schema/Synthetic.ts"
import { findUndescribedProblem } from "../../support/http/Described.ts"
import { bodyOf, client, awaitTrue, get, serve, soundOf } from "../../support/http/ListenServer.ts"

const checked = (bytes: Buffer) => {
  const checker = new FrameChecker()
  checker.take(bytes)
  return { frames: checker.frames, faults: checker.faults, strays: checker.strayBytes }
}

describe("Listen, MP3", () => {
  it.effect("begins with the burst, at a frame, and continues where it ended, in whole frames", () =>
    Effect.gen(function* () {
      const { port, send, setBurst } = yield* serve()
      setBurst([numberedFrames(0, 5), numberedFrames(5, 5)])
      const { readUntil, head } = yield* client(port, get("/live.mp3"))
      expect(yield* head).toMatch(/^HTTP\/1\.1 200 OK\r\ncontent-type: audio\/mpeg\r\n/)
      expect(bodyOf(yield* readUntil(soundOf(10 * frameBytes))).length).toBe(10 * frameBytes)
      send({ _tag: "Frames", bytes: numberedFrames(10, 3), firstSample: 0 })
      send({ _tag: "Frames", bytes: numberedFrames(13, 4), firstSample: 0 })
      yield* TestClock.adjust(mp3BatchMs)
      expect(checked(bodyOf(yield* readUntil(soundOf(17 * frameBytes))))).toEqual({ frames: 17, faults: 0, strays: 0 })
    })
  )

  it.effect("inserts titles at exactly the announced positions, once each", () =>
    Effect.gen(function* () {
      const { port, send, setBurst } = yield* serve()
      setBurst([numberedFrames(0, 100)])
      const { readUntil, head } = yield* client(port, get("/api/station/listen", "icy-metadata: 1"))
      expect(yield* head).toContain(`icy-metaint: ${icyIntervalBytes}`)
      send({ _tag: "Label", label: new ItemLabel({ title: "What's; on", artist: "Wren", kind: "music" }) })
      send({ _tag: "Frames", bytes: numberedFrames(100, 150), firstSample: 0 })
      yield* TestClock.adjust(mp3BatchMs)
      let rest = bodyOf(yield* readUntil(soundOf(250 * frameBytes)))
      const sound: Array<Buffer> = []
      const titles: Array<string> = []
      while (rest.length > icyIntervalBytes) {
        sound.push(rest.subarray(0, icyIntervalBytes))
        const length = rest[icyIntervalBytes]! * 16
        titles.push(
          rest
            .subarray(icyIntervalBytes + 1, icyIntervalBytes + 1 + length)
            .toString()
            .replaceAll("\0", "")
        )
        rest = rest.subarray(icyIntervalBytes + 1 + length)
      }
      const whole = Buffer.concat([...sound, rest])
      expect(checked(whole.subarray(0, whole.length - (whole.length % frameBytes))).faults).toBe(0)
      expect(titles.slice(0, 4)).toEqual(["StreamTitle='Longwave';", "", "StreamTitle='Wren - What’s, on';", ""])
    })
  )

  it.effect("disconnects a reader that takes nothing, after a timeout, and stops counting it", () =>
    Effect.gen(function* () {
      const { listeners, port, send } = yield* serve()
      const { socket, head } = yield* client(port, get("/live.mp3"))
      yield* head
      socket.pause()
      // More than the kernel buffers.
      send({ _tag: "Frames", bytes: Buffer.alloc(64 * 1_024 * 1_024), firstSample: 0 })
      yield* TestClock.adjust(mp3StallMs - 1_000)
      expect(listeners.count(0).mp3).toBe(1)
      yield* TestClock.adjust(3_000)
      yield* awaitTrue(() => listeners.count(0).mp3 === 0)
    })
  )

  it.effect("allows as many streams of one address as the limit, refuses the next, and frees places", () =>
    Effect.gen(function* () {
      const { listeners, port } = yield* serve()
      const all = yield* Effect.forEach(
        Array.from({ length: mp3PerAddressMax }),
        () => client(port, get("/live.mp3")),
        { concurrency: 50 }
      )
      yield* Effect.forEach(all, ({ head }) => head, { concurrency: "unbounded" })
      expect(yield* (yield* client(port, get("/live.mp3"))).head).toMatch(/^HTTP\/1\.1 503 [\s\S]*retry-after: 30/i)
      expect(yield* (yield* client(port, get("/live.mp3"), "127.0.0.2")).head).toMatch(/^HTTP\/1\.1 200 /)
      for (const { socket } of all.slice(0, 3)) socket.destroy()
      yield* awaitTrue(() => listeners.count(0).mp3 === mp3PerAddressMax + 1 - 3)
      expect(yield* (yield* client(port, get("/live.mp3"))).head).toMatch(/^HTTP\/1\.1 200 /)
    })
  )

  it.effect("ends a stream whose client sends another request on the connection, and frees its one place", () =>
    Effect.gen(function* () {
      const { listeners, port } = yield* serve()
      const { readUntil } = yield* client(port, get("/live.mp3") + get("/live.mp3"))
      const bytes = yield* readUntil(({ closed }) => closed)
      expect(bytes.toString("latin1").split("HTTP/1.1").length).toBeLessThanOrEqual(2)
      yield* awaitTrue(() => listeners.count(0).mp3 === 0)
      expect(
        Array.from({ length: mp3PerAddressMax + 1 }, () => listeners.joinMp3({}, "127.0.0.1", 0)).filter(
          (place) => place === "joined"
        ).length
      ).toBe(mp3PerAddressMax)
    })
  )

  it.effect("shows the fencing token of the air's owner to listeners of both outputs", () =>
    Effect.gen(function* () {
      const { ask, live } = yield* serve()
      const shown = () =>
        Effect.map(Effect.all([ask("/live.mp3", { method: "HEAD" }), ask("/live/aac128/index.m3u8")]), (answers) =>
          answers.map(({ headers }) => headers.get(fenceHeader))
        )
      expect(yield* shown()).toEqual([null, null])
      live.fence = () => 7
      const object = {
        contentType: "application/vnd.apple.mpegurl",
        body: Buffer.from("#EXTM3U\n"),
        maxAgeSec: 1,
        fence: 7
      }
      live.playlist = () => Effect.succeed({ _tag: "Found", object })
      expect(yield* shown()).toEqual(["7", "7"])
    })
  )

  it.effect("answers HEAD with the same headers, without taking a place", () =>
    Effect.gen(function* () {
      const { ask, listeners } = yield* serve()
      const response = yield* ask("/live.mp3", { method: "HEAD" })
      expect([
        response.status,
        response.headers.get("content-type"),
        response.headers.get("cache-control"),
        response.headers.get("icy-br")
      ]).toEqual([200, "audio/mpeg", "no-store", "128"])
      expect(listeners.count(0).mp3).toBe(0)
    })
  )

  it.effect("says in UTF-8 what the station is, by the disclosure in force", () =>
    Effect.gen(function* () {
      let mark = stationMark
      const { ask, port } = yield* serve({ STATION_NAME: "Радио Łódź", STATION_TAGLINE: "Ночью" }).pipe(
        Effect.provideService(CurrentMark, () => mark)
      )
      const shown = Effect.gen(function* () {
        const { headers, status } = yield* ask("/live.mp3", { method: "HEAD" })
        const text = (name: string) => Buffer.from(headers.get(name)!, "latin1").toString()
        const { head } = yield* client(port, get("/live.mp3"))
        const lines = ["icy-name", "icy-description", "icy-disclosure"].map((name) => `${name}: ${text(name)}`)
        expect([status, ...(yield* head).split("\r\n").filter((line) => lines.includes(line))]).toEqual([200, ...lines])
        return lines
      })
      expect((yield* shown)[1]).toBe(`icy-description: Ночью ${stationMark.disclosure}`)
      mark = markOfStation("Машины делают это радио.")
      expect(yield* shown).toEqual([
        "icy-name: Радио Łódź",
        "icy-description: Ночью Машины делают это радио.",
        "icy-disclosure: Машины делают это радио."
      ])
    })
  )

  it.effect("continues with valid parts of a broken stream", () =>
    Effect.gen(function* () {
      const { port, send } = yield* serve()
      const { head, readUntil } = yield* client(port, get("/live.mp3"))
      yield* head
      send({ _tag: "Frames", bytes: null, firstSample: 0 } as unknown as Mp3Chunk)
      yield* TestClock.adjust(mp3BatchMs)
      send({ _tag: "Frames", bytes: numberedFrames(3, 2), firstSample: 0 })
      yield* TestClock.adjust(mp3BatchMs)
      expect(checked(bodyOf(yield* readUntil(soundOf(2 * frameBytes))))).toMatchObject({ frames: 2, strays: 0 })
    })
  )

  it.effect("follows the stream once for all listeners, and stops at its end", () =>
    Effect.gen(function* () {
      const { followers } = yield* Effect.scoped(
        Effect.gen(function* () {
          const served = yield* serve()
          yield* (yield* client(served.port, get("/live.mp3"))).head
          expect(served.followers()).toBe(1)
          return served
        })
      )
      expect(followers()).toBe(0)
    })
  )
})

describe("Listen, HLS", () => {
  it.effect("admits no more than LISTENERS_MAX, and disconnects no present listener", () =>
    Effect.gen(function* () {
      const { ask, port } = yield* serve({ LISTENERS_MAX: "2" })
      const asks = (what: string) => (session: string) =>
        Effect.map(ask(`/live/aac64/${what}?session=${session}`), ({ status }) => status)
      const [playlist, sound] = [asks("index.m3u8"), asks("s1.m4s")]
      expect(yield* sound("a")).toBe(200)
      yield* (yield* client(port, get("/live.mp3"))).head
      expect([yield* playlist("b"), yield* sound("b")]).toEqual([503, 503])
      expect(yield* (yield* client(port, get("/live.mp3"))).head).toMatch(/^HTTP\/1\.1 503 [\s\S]*retry-after: 10/i)
      expect([yield* playlist("a"), yield* sound("a")]).toEqual([200, 200])
      yield* TestClock.adjust(hlsSessionSec * 1_000)
      expect([yield* playlist("b"), yield* sound("b")]).toEqual([200, 200])
    })
  )

  it.effect(
    "counts clients that take sound, not those that poll playlists, and a limited number of names for each address",
    () =>
      Effect.gen(function* () {
        const { ask, listeners } = yield* serve({ TRUSTED_PROXIES: "127.0.0.0/8" })
        const from = (address: string, path: string, method = "GET") =>
          Effect.flatMap(ask(path, { method, headers: { "x-forwarded-for": address } }), (response) =>
            Effect.promise(() => response.arrayBuffer())
          )
        for (const path of [
          "index.m3u8",
          "aac128/index.m3u8?session=p",
          "aac128/init.mp4",
          "words/s1.vtt",
          "words/p1.0.vtt"
        ])
          yield* from("192.0.2.1", `/live/${path}`)
        yield* from("192.0.2.1", "/live/aac128/s1.m4s", "HEAD")
        expect(listeners.count(0).hls).toBe(0)
        for (let name = 0; name < hlsSessionsPerAddressMax + 50; name++)
          yield* from("192.0.2.1", `/live/aac128/s1.m4s?session=${name}`)
        expect(listeners.count(0).hls).toBe(hlsSessionsPerAddressMax + 1)
        yield* from("192.0.2.2", "/live/aac128/s1.m4s")
        yield* from("192.0.2.2", "/live/aac128/p1.0.m4s")
        expect(listeners.count(0).hls).toBe(hlsSessionsPerAddressMax + 2)
      })
  )

  it.effect("answers every fault with a problem, its request id and a count", () =>
    Effect.gen(function* () {
      const { ask, live } = yield* serve()
      const count = Effect.map(
        Metric.snapshot,
        (all) => all.find(({ id }) => id === "listen_faults_total")?.state as { readonly count: number } | undefined
      )
      const before = (yield* count)?.count ?? 0
      const broken = () => {
        throw new Error("broken on purpose")
      }
      Object.assign(live, {
        multivariant: broken,
        init: broken,
        segment: broken,
        playlist: broken,
        part: () => Effect.die(new Error("broken on purpose")),
        mp3: broken
      })
      const all = [
        "/live/index.m3u8",
        "/live/aac128/init.mp4",
        "/live/aac128/s1.m4s",
        "/live/aac128/index.m3u8",
        "/live/aac128/p1.0.m4s",
        "/live.mp3"
      ]
      for (const path of all) {
        const response = yield* ask(path)
        const document = (yield* Effect.promise(() => response.json())) as Record<string, unknown>
        expect([path, response.status, document["code"], response.headers.get("content-type")]).toEqual([
          path,
          500,
          "INTERNAL_ERROR",
          "application/problem+json"
        ])
        expect(document["requestId"]).toMatch(/^req_[0-9a-z]{26}$/)
        expect(response.headers.get("x-request-id")).toBe(document["requestId"])
        expect(JSON.stringify(document)).not.toContain("on purpose")
      }
      expect((yield* count)!.count - before).toBe(all.length)
    })
  )

  it.effect("refuses with problems", () =>
    Effect.gen(function* () {
      const { ask, live } = yield* serve()
      const refusal = Effect.fnUntraced(function* (path: string, init: RequestInit = {}) {
        const response = yield* ask(path, init)
        const document = (yield* Effect.promise(() => response.json())) as Record<string, unknown>
        expect(response.headers.get("content-type")).toBe("application/problem+json")
        expect(response.headers.get("cache-control")).toBe("no-store")
        expect(document).toMatchObject({
          status: response.status,
          type: expect.stringMatching(/\/problems\//) as unknown
        })
        expect(findUndescribedProblem(document as Parameters<typeof findUndescribedProblem>[0])).toEqual([])
        const pointers = (document["errors"] as ReadonlyArray<{ readonly pointer: string }>).map(
          ({ pointer }) => pointer
        )
        return [response.status, document["code"], ...pointers]
      })
      expect(yield* refusal("/live/aac128/index.m3u8?_HLS_msn=x")).toEqual([400, "INVALID_FIELD", "/query/_HLS_msn"])
      expect(yield* refusal("/live/aac128/index.m3u8?_HLS_msn=x&_HLS_part=y&start=abc&from=def")).toEqual([
        400,
        "INVALID_FIELD",
        "/query/_HLS_msn",
        "/query/_HLS_part",
        "/query/start",
        "/query/from"
      ])
      expect(yield* refusal("/live/index.m3u8?start=abc")).toEqual([400, "INVALID_FIELD", "/query/start"])
      expect(yield* refusal("/live/aac128/index.m3u8?_HLS_part=1")).toEqual([400, "INVALID_FIELD", "/query/_HLS_part"])
      expect(yield* refusal("/live/aac128/index.m3u8?_HLS_msn=1&_HLS_part=-1")).toEqual([
        400,
        "INVALID_FIELD",
        "/query/_HLS_part"
      ])
      expect(yield* refusal("/live/flac/index.m3u8")).toEqual([404, "NOT_FOUND"])
      expect(yield* refusal("/live/words/index.m3u8?start=-3600")).toEqual([404, "NOT_FOUND"])
      expect(yield* refusal(`/live/words/item/itm_${"0".repeat(26)}.vtt`)).toEqual([404, "NOT_FOUND"])
      for (const path of [
        `wave/itm_${"0".repeat(26)}.json`,
        "wave/itm_1.json",
        "words/item/itm_1.vtt",
        "aac128/item/itm_00000000000000000000000001.vtt",
        "words/s1.m4s",
        "words/init.mp4",
        "words/archive/1.m4s",
        "aac128/s1.vtt",
        "aac128/p1.0.vtt"
      ])
        expect(yield* refusal(`/live/${path}`)).toEqual([404, "NOT_FOUND"])
      expect(yield* refusal("/live/aac128/s2.m4s")).toEqual([404, "NOT_FOUND"])
      expect(yield* refusal("/live/aac128/p2.m4s")).toEqual([404, "NOT_FOUND"])
      expect(yield* refusal("/live.mp3", { method: "POST" })).toEqual([405, "METHOD_NOT_ALLOWED"])
      live.playlist = () => Effect.succeed({ _tag: "Impossible", parameter: "_HLS_msn", detail: "too far ahead" })
      expect(yield* refusal("/live/aac128/index.m3u8?_HLS_msn=99")).toEqual([400, "INVALID_FIELD", "/query/_HLS_msn"])
      live.part = () => Effect.succeed({ _tag: "Late" })
      expect(yield* refusal("/live/aac128/p1.0.m4s")).toEqual([503, "BUSY"])
      live.init = () => null
      expect(yield* refusal("/live/aac128/init.mp4")).toEqual([503, "BUSY"])
    })
  )

  it.effect("sets cache times and audience for each object, and answers HEAD with the same headers", () =>
    Effect.gen(function* () {
      const { ask } = yield* serve()
      for (const [path, cache, length] of [
        ["index.m3u8", "no-cache", "608"],
        ["init.mp4", "public, max-age=86400", "4"],
        ["s1.m4s", "public, max-age=86400", "7"],
        ["p1.0.m4s", "public, max-age=86400", "4"]
      ] as const) {
        for (const method of ["GET", "HEAD"]) {
          const response = yield* ask(`/live/aac128/${path}`, { method, headers: { "accept-encoding": "identity" } })
          expect([
            path,
            response.status,
            response.headers.get("cache-control"),
            response.headers.get("access-control-allow-origin"),
            response.headers.get("content-length")
          ]).toEqual([path, 200, cache, "*", length])
          expect((yield* Effect.promise(() => response.arrayBuffer())).byteLength).toBe(
            method === "HEAD" ? 0 : Number(length)
          )
        }
      }
    })
  )

  it.effect("accepts an instant or seconds back as the start, and explains the valid values", () =>
    Effect.gen(function* () {
      const { ask } = yield* serve()
      const answer = Effect.fnUntraced(function* (path: string) {
        const response = yield* ask(`/live/${path}`)
        return [
          response.status,
          yield* Effect.promise(() => response.text()),
          response.headers.get("cache-control")
        ] as const
      })
      const atMs = Date.parse("2026-05-01T20:00:00Z")
      for (const text of ["2026-05-01T20:00:00Z", "2026-05-01T22:00:00%2B02:00", "2026-05-01T22:00:00+02:00"]) {
        expect(yield* answer(`index.m3u8?start=${text}`)).toEqual([
          200,
          JSON.stringify({ _tag: "At", atMs }),
          "no-cache"
        ])
      }
      expect((yield* answer("index.m3u8?start=-3600"))[1]).toBe(JSON.stringify({ _tag: "Behind", behindSec: 3_600 }))
      expect(yield* answer("aac64/index.m3u8?start=-81.920")).toEqual([200, "aac64 81.92", "public, max-age=1"])
      expect(yield* answer("aac64/archive/1.m4s")).toEqual([200, "archived", "public, max-age=86400"])
      expect((yield* answer("aac64/archive/2.m4s"))[0]).toBe(404)
      for (const path of [
        "index.m3u8?start=",
        "index.m3u8?start=yesterday",
        "index.m3u8?start=3600",
        "index.m3u8?start=2026-05-01T20:00:00",
        "aac64/index.m3u8?start=2026-05-01T20:00:00Z",
        "aac64/index.m3u8?start=-1e3"
      ]) {
        const [status, body] = yield* answer(path)
        expect([path, status, (JSON.parse(body) as { readonly code: string }).code]).toEqual([
          path,
          400,
          "INVALID_FIELD"
        ])
        expect(body).toContain("-3600")
      }
    })
  )

  it.effect("answers OPTIONS for pages of any origin", () =>
    Effect.gen(function* () {
      const { ask } = yield* serve()
      const response = yield* ask("/live/aac128/index.m3u8", { method: "OPTIONS" })
      expect([
        response.status,
        response.headers.get("allow"),
        response.headers.get("access-control-allow-methods"),
        response.headers.get("access-control-allow-origin")
      ]).toEqual([204, "GET, HEAD, OPTIONS", "GET, HEAD, OPTIONS", "*"])
    })
  )

  it.effect("compresses playlists for clients that accept it, and nothing else", () =>
    Effect.gen(function* () {
      const { port } = yield* serve()
      const answer = Effect.fnUntraced(function* (path: string, accepted: string) {
        const { readUntil } = yield* client(port, get(path, `accept-encoding: ${accepted}`, "connection: close"))
        const bytes = yield* readUntil(({ closed }) => closed)
        return {
          isGzip: bytes.includes("content-encoding: gzip"),
          varies: bytes.includes("vary: accept-encoding"),
          body: bodyOf(bytes)
        }
      })
      const plain = yield* answer("/live/aac128/index.m3u8", "identity")
      const packed = yield* answer("/live/aac128/index.m3u8", "br, gzip;q=0.5")
      expect([plain.isGzip, plain.varies, packed.isGzip, packed.varies]).toEqual([false, true, true, true])
      expect(gunzipSync(packed.body)).toEqual(plain.body)
      expect((yield* answer("/live/aac128/index.m3u8", "gzip;q=0, identity")).isGzip).toBe(false)
      expect((yield* answer("/live/aac128/s1.m4s", "gzip")).isGzip).toBe(false)
    })
  )

  it.effect("closes connections idle for longer than a listener may stall", () =>
    Effect.gen(function* () {
      const { live, port, sockets } = yield* serve()
      live.playlist = () => Effect.never
      yield* client(port, get("/live/aac128/index.m3u8?_HLS_msn=5"))
      yield* awaitTrue(() => sockets[0]?.timeout === listenerStallMs)
      const { head } = yield* client(port, get("/live.mp3"))
      yield* head
      // A stream has its own rule: time since it last drained.
      expect(sockets[1]!.timeout).toBe(0)
    })
  )

  it.effect("cancels a wait when the listener goes", () =>
    Effect.gen(function* () {
      const { live, port } = yield* serve()
      let waiting = 0
      live.playlist = () =>
        Effect.never.pipe(
          Effect.onInterrupt(() => Effect.sync(() => (waiting -= 1))),
          (effect) =>
            Effect.suspend(() => {
              waiting += 1
              return effect
            })
        )
      const { socket } = yield* client(port, get("/live/aac128/index.m3u8?_HLS_msn=5"))
      yield* awaitTrue(() => waiting === 1)
      socket.destroy()
      yield* awaitTrue(() => waiting === 0)
    })
  )

  it.effect("leaves other paths to others", () =>
    Effect.gen(function* () {
      const { ask } = yield* serve()
      for (const path of ["/api/station", "/api/station/listeners", "/live", "/lively"])
        expect((yield* ask(path)).status).toBe(418)
    })
  )
})
