import { Cause, Clock, Context, Effect, Exit, Layer, Metric } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { StationConfig } from "../engine/Config.ts"
import { requestIdAt } from "../engine/Ids.ts"
import { listenerStallMs } from "../engine/Limits.ts"
import { type HlsVariant, Live, type LiveAnswer } from "../engine/ports/Live.ts"
import { Busy, InvalidField, MethodNotAllowed, NotFound } from "../schema/Problems.ts"
import { makeAddressOf } from "./Address.ts"
import { type Counts, type HlsCaller, Listeners } from "./Listeners.ts"
import { houseFull, mp3Stream } from "./ListenMp3.ts"
import { startOf, startOfStream, startOfVariant } from "./ShiftStart.ts"
import { openToAll, StreamAnswers } from "./StreamAnswers.ts"

const paths = {
  multivariant: /^\/live\/index\.m3u8$/,
  playlist: /^\/live\/(aac128|aac64)\/index\.m3u8$/,
  init: /^\/live\/(aac128|aac64)\/init\.mp4$/,
  segment: /^\/live\/(aac128|aac64)\/s(\d{1,12})\.m4s$/,
  archived: /^\/live\/(aac128|aac64)\/archive\/(\d{1,12})\.m4s$/,
  part: /^\/live\/(aac128|aac64)\/p(\d{1,12})\.(\d{1,3})\.m4s$/,
  mp3: /^\/live\.mp3$|^\/api\/station\/listen$/
} as const

const whole = (text: string | null): number | null => text !== null && /^\d{1,12}$/.test(text) ? Number(text) : null

const faults = Metric.counter("listen_faults_total", { description: "requests for the stream, and moments of it, that a defect spoiled", incremental: true })

/**
 * Serves `/live…` on the bare node server, before the router: this is the station's hottest path, and what it sends is
 * bytes that already lie there.
 */
export class Listen extends Context.Service<Listen, {
  /** True when the request was for the stream and has been, or will be, answered. */
  readonly handle: (request: IncomingMessage, response: ServerResponse) => boolean
  readonly listeners: Listeners
  /** How many listen, as people are shown it. */
  readonly counts: () => Counts
}>()("longwave/http/Listen") {
  static readonly layer = Layer.effect(Listen, Effect.gen(function*() {
    const live = yield* Live
    const clock = yield* Clock.Clock
    const config = yield* StationConfig
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const addressOf = makeAddressOf(config.trustedProxies)
    const listeners = new Listeners(config.listenersMax)
    // A listener's time is not the wall's: that may jump, and nobody stalls or leaves by it.
    const nowMs = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
    const onFault = (what: string, fault: unknown) => void run(
      Effect.andThen(Metric.update(faults, 1), Effect.logError(`${what} failed`, Cause.isCause(fault) ? fault : Cause.die(fault)))
    )
    const answers = new StreamAnswers({
      publicUrl: config.publicUrl,
      requestId: () => requestIdAt(clock.currentTimeMillisUnsafe()),
      onFault: (requestId, fault) => onFault(`request ${requestId}`, fault)
    })
    const mp3 = yield* mp3Stream({ live, listeners, answers, station: { name: config.stationName, tagline: config.stationTagline }, nowMs, onFault })

    /** What has to be waited for is given up when the listener goes. */
    const eventually = (response: ServerResponse, answer: Effect.Effect<LiveAnswer>) => {
      const fiber = run(answer)
      response.once("close", () => fiber.interruptUnsafe())
      fiber.addObserver((exit) => {
        if (response.destroyed) return
        if (Exit.isSuccess(exit)) return guarded(response, () => answers.answer(response, exit.value))
        if (Cause.hasInterruptsOnly(exit.cause)) return answers.refuse(response, new Busy({ detail: "The station is ending. Ask again.", retryAfterSec: 2 }))
        answers.fault(response, exit.cause)
      })
    }
    const guarded = (response: ServerResponse, answer: () => void) => {
      try {
        answer()
      } catch (fault) {
        answers.fault(response, fault)
      }
    }

    const sound = (response: ServerResponse, variant: HlsVariant, path: string) => {
      const segment = paths.segment.exec(path)
      const part = paths.part.exec(path)
      const archived = paths.archived.exec(path)
      if (segment !== null) answers.answer(response, live.segment(variant, Number(segment[2])))
      else if (part !== null) eventually(response, live.part(variant, Number(part[2]), Number(part[3])))
      else if (archived !== null) eventually(response, live.shifted.segment(variant, Number(archived[2])))
      else answers.answer(response, { _tag: "Gone" })
    }
    const playlist = (response: ServerResponse, variant: HlsVariant, asked: URLSearchParams) => {
      const msn = whole(asked.get("_HLS_msn"))
      const part = whole(asked.get("_HLS_part"))
      if ((asked.has("_HLS_msn") && msn === null) || (asked.has("_HLS_part") && (part === null || msn === null))) {
        return answers.refuse(response, new InvalidField({ detail: "_HLS_msn and _HLS_part are whole numbers, and a part needs its msn." }))
      }
      const start = startOf(asked)
      if (start === "malformed" || start?._tag === "At") return answers.refuse(response, new InvalidField({ detail: startOfVariant }))
      if (start !== null) return eventually(response, live.shifted.playlist(variant, start.behindSec))
      eventually(response, live.playlist(variant, { msn, part, skip: asked.has("_HLS_skip") }))
    }
    const multivariant = (response: ServerResponse, start: ReturnType<typeof startOf>) => {
      if (start === "malformed") return answers.refuse(response, new InvalidField({ detail: startOfStream }))
      if (start === null) return answers.found(response, live.multivariant())
      eventually(response, live.shifted.multivariant(start))
    }
    const hls = (response: ServerResponse, path: string, asked: URLSearchParams, address: string) => {
      if (paths.multivariant.test(path)) return multivariant(response, startOf(asked))
      const variant = (/^\/live\/(aac128|aac64)\//.exec(path)?.[1] ?? null) as HlsVariant | null
      if (variant === null) return answers.refuse(response, new NotFound({ detail: "The stream has no such address. Begin at /live/index.m3u8." }))
      const caller: HlsCaller = { address, session: asked.get("session"), userAgent: String(response.req.headers["user-agent"] ?? "") }
      if (paths.playlist.test(path)) return listeners.hasRoomFor(caller, nowMs()) ? playlist(response, variant, asked) : answers.refuse(response, houseFull)
      if (paths.init.test(path)) {
        const init = live.init(variant)
        return init === null ? answers.answer(response, { _tag: "Late" }) : answers.found(response, init)
      }
      return response.req.method === "HEAD" || listeners.tookHls(caller, nowMs()) ? sound(response, variant, path) : answers.refuse(response, houseFull)
    }

    const answerTo = (request: IncomingMessage, response: ServerResponse, path: string, query: string) => {
      if (request.method === "OPTIONS") {
        response.writeHead(204, { ...openToAll, allow: "GET, HEAD, OPTIONS", "access-control-max-age": "86400" })
        return void response.end()
      }
      if (request.method !== "GET" && request.method !== "HEAD") {
        return answers.refuse(response, new MethodNotAllowed({ detail: "The stream can only be read." }), { allow: "GET, HEAD, OPTIONS" })
      }
      const address = addressOf(request.socket.remoteAddress, String(request.headers["x-forwarded-for"] ?? ""))
      if (paths.mp3.test(path)) return mp3.handle(response, address)
      // Who takes nothing of an answer would hold it, and the connection, for ever.
      request.socket.setTimeout(listenerStallMs)
      hls(response, path, new URLSearchParams(query), address)
    }

    const handle = (request: IncomingMessage, response: ServerResponse): boolean => {
      if (mp3.holds(request.socket)) {
        request.socket.destroy()
        return true
      }
      const url = request.url ?? "/"
      if (!url.startsWith("/live") && !url.startsWith("/api/station/listen")) return false
      const [path, query = ""] = url.split("?") as [string, string?]
      guarded(response, () => answerTo(request, response, path, query))
      return true
    }
    return Listen.of({ handle, listeners, counts: () => listeners.smoothed(nowMs()) })
  }))
}
