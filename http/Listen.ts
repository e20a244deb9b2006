import { Clock, Context, Effect, Layer, Schedule } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { gzipSync } from "node:zlib"
import { StationConfig } from "../engine/Config.ts"
import { icyIntervalBytes, mp3BurstMs } from "../engine/Limits.ts"
import { type HlsVariant, Live, type LiveAnswer, type LiveObject } from "../engine/ports/Live.ts"
import { makeAddressOf } from "./Address.ts"
import { Listeners } from "./Listeners.ts"
import { Mp3Fanout } from "./Mp3Fanout.ts"

const cors = { "access-control-allow-origin": "*", "access-control-allow-headers": "*", "access-control-expose-headers": "*", "access-control-allow-methods": "GET, HEAD, OPTIONS" }

const paths = {
  multivariant: /^\/live\/index\.m3u8$/,
  playlist: /^\/live\/(aac128|aac64)\/index\.m3u8$/,
  init: /^\/live\/(aac128|aac64)\/init\.mp4$/,
  segment: /^\/live\/(aac128|aac64)\/s(\d{1,12})\.m4s$/,
  part: /^\/live\/(aac128|aac64)\/p(\d{1,12})\.(\d{1,3})\.m4s$/,
  mp3: /^\/live\.mp3$|^\/api\/station\/listen$/
} as const

/** Named, and not with the weight that means never. */
const takesGzip = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i

const whole = (text: string | null): number | null => text !== null && /^\d{1,12}$/.test(text) ? Number(text) : null

/**
 * Serves `/live…` on the bare node server, before the router: this is the station's hottest path, and what it sends is
 * bytes that already lie there.
 */
export class Listen extends Context.Service<Listen, {
  /** True when the request was for the stream and has been, or will be, answered. */
  readonly handle: (request: IncomingMessage, response: ServerResponse) => boolean
  readonly listeners: Listeners
}>()("longwave/http/Listen") {
  static readonly layer = Layer.effect(Listen, Effect.gen(function*() {
    const live = yield* Live
    const clock = yield* Clock.Clock
    const config = yield* StationConfig
    const addressOf = makeAddressOf(config.trustedProxies)
    const listeners = new Listeners(config.listenersMax)
    const fanout = new Mp3Fanout()
    const gzipped = new WeakMap<Uint8Array, Buffer>()
    const streaming = new WeakSet<object>()
    yield* Effect.acquireRelease(
      Effect.sync(() => live.mp3(0, (chunk) => fanout.push(chunk))),
      ({ close }) => Effect.sync(close)
    )
    yield* Effect.sync(() => {
      for (const socket of fanout.tick(clock.currentTimeMillisUnsafe())) socket.destroy()
    }).pipe(Effect.repeat(Schedule.fixed(Mp3Fanout.tickMs)), Effect.forkScoped)

    const problem = (response: ServerResponse, status: number, code: string, detail: string, headers: Record<string, string> = {}) => {
      const body = Buffer.from(JSON.stringify({
        type: `${config.publicUrl}/problems/${code.toLowerCase().replaceAll("_", "-")}`, title: detail, status, detail, code, errors: []
      }))
      response.writeHead(status, { ...cors, "content-type": "application/problem+json", "content-length": body.length, "cache-control": "no-store", ...headers })
      response.end(response.req.method === "HEAD" ? undefined : body)
    }
    const full = (response: ServerResponse) => problem(response, 503, "BUSY", "The station has all the listeners it can take. Try again in a moment.", { "retry-after": "10" })

    const found = (request: IncomingMessage, response: ServerResponse, object: LiveObject) => {
      const isPlaylist = object.contentType.includes("mpegurl")
      const wantsGzip = isPlaylist && takesGzip.test(String(request.headers["accept-encoding"] ?? ""))
      let body = object.body
      if (wantsGzip) {
        body = gzipped.get(object.body) ?? gzipSync(object.body, { level: 3 })
        gzipped.set(object.body, body as Buffer)
      }
      response.writeHead(200, {
        ...cors,
        "content-type": object.contentType,
        "content-length": body.length,
        "cache-control": object.maxAgeSec === 0 ? "no-cache" : `public, max-age=${object.maxAgeSec}`,
        ...(isPlaylist ? { vary: "accept-encoding" } : {}),
        ...(wantsGzip ? { "content-encoding": "gzip" } : {})
      })
      response.end(request.method === "HEAD" ? undefined : body)
    }
    const answered = (request: IncomingMessage, response: ServerResponse, answer: LiveAnswer) => {
      switch (answer._tag) {
        case "Found":
          return found(request, response, answer.object)
        case "Impossible":
          return problem(response, 400, "INVALID_FIELD", answer.detail)
        case "Gone":
          return problem(response, 404, "NOT_FOUND", "That part of the stream is not here, or not any more. Reload the playlist.")
        case "Late":
          return problem(response, 503, "BUSY", "The part is late. Ask again.", { "retry-after": "1" })
      }
    }
    /** What has to be waited for is given up when the listener goes. */
    const eventually = (request: IncomingMessage, response: ServerResponse, answer: Effect.Effect<LiveAnswer>) => {
      const fiber = Effect.runFork(answer)
      response.once("close", () => fiber.interruptUnsafe())
      fiber.addObserver((exit) => {
        if (exit._tag === "Success" && !response.destroyed) answered(request, response, exit.value)
      })
    }

    const mp3 = (request: IncomingMessage, response: ServerResponse, address: string) => {
      const icy = request.headers["icy-metadata"] === "1"
      const head = {
        "content-type": "audio/mpeg", "cache-control": "no-store", "icy-name": config.stationName, "icy-description": config.stationTagline, "icy-br": "128", "icy-pub": "0",
        ...(icy ? { "icy-metaint": String(icyIntervalBytes) } : {}), ...cors
      }
      if (request.method === "HEAD") {
        response.writeHead(200, head)
        return void response.end()
      }
      const { socket } = request
      const nowMs = clock.currentTimeMillisUnsafe()
      const place = listeners.joinMp3(socket, address, nowMs)
      if (place === "full") return full(response)
      if (place === "address") return problem(response, 503, "BUSY", "Your address holds as many MP3 streams as one may.", { "retry-after": "30" })
      const leave = () => {
        fanout.leave(socket)
        listeners.leaveMp3(socket)
      }
      socket.once("close", leave)
      socket.on("error", leave)
      response.detachSocket(socket)
      streaming.add(socket)
      socket.setTimeout(0)
      socket.setNoDelay(true)
      const { burst, close, label } = live.mp3(mp3BurstMs, () => undefined)
      close()
      const lines = Object.entries(head).map(([name, value]) => `${name}: ${value.replaceAll(/[\r\n]/g, " ")}\r\n`).join("")
      fanout.join(socket, `HTTP/1.1 200 OK\r\n${lines}connection: close\r\n\r\n`, burst, label, icy, nowMs)
    }

    const handle = (request: IncomingMessage, response: ServerResponse): boolean => {
      // After a stream, which has no end, nothing can be answered on its connection.
      if (streaming.has(request.socket)) {
        request.socket.destroy()
        return true
      }
      const url = request.url ?? "/"
      if (!url.startsWith("/live") && !url.startsWith("/api/station/listen")) return false
      const [path, query = ""] = url.split("?") as [string, string?]
      if (request.method === "OPTIONS") {
        response.writeHead(204, { ...cors, allow: "GET, HEAD, OPTIONS", "access-control-max-age": "86400" })
        response.end()
        return true
      }
      if (request.method !== "GET" && request.method !== "HEAD") {
        problem(response, 405, "METHOD_NOT_ALLOWED", "The stream can only be read.", { allow: "GET, HEAD, OPTIONS" })
        return true
      }
      const address = addressOf(request.socket.remoteAddress, String(request.headers["x-forwarded-for"] ?? ""))
      if (paths.mp3.test(path)) {
        mp3(request, response, address)
        return true
      }
      const asked = new URLSearchParams(query)
      const session = `${asked.get("session") ?? address} ${String(request.headers["user-agent"] ?? "")}`
      const variant = (/^\/live\/(aac128|aac64)\//.exec(path)?.[1] ?? null) as HlsVariant | null
      if (paths.multivariant.test(path)) found(request, response, live.multivariant())
      else if (variant === null) problem(response, 404, "NOT_FOUND", "The stream has no such address. Begin at /live/index.m3u8.")
      else if (!listeners.sawHls(session, clock.currentTimeMillisUnsafe())) full(response)
      else if (paths.playlist.test(path)) {
        const msn = whole(asked.get("_HLS_msn"))
        const part = whole(asked.get("_HLS_part"))
        if ((asked.has("_HLS_msn") && msn === null) || (asked.has("_HLS_part") && (part === null || msn === null))) {
          problem(response, 400, "INVALID_FIELD", "_HLS_msn and _HLS_part are whole numbers, and a part needs its msn.")
        } else eventually(request, response, live.playlist(variant, { msn, part, skip: asked.has("_HLS_skip") }))
      } else if (paths.init.test(path)) {
        const init = live.init(variant)
        if (init === null) answered(request, response, { _tag: "Late" })
        else found(request, response, init)
      } else {
        const segment = paths.segment.exec(path)
        const part = paths.part.exec(path)
        if (segment !== null) answered(request, response, live.segment(variant, Number(segment[2])))
        else if (part !== null) eventually(request, response, live.part(variant, Number(part[2]), Number(part[3])))
        else answered(request, response, { _tag: "Gone" })
      }
      return true
    }
    return Listen.of({ handle, listeners })
  }))
}
