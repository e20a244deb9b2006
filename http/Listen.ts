import { Cause, Clock, Context, Effect, Exit, Layer, Metric } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { StationConfig } from "../engine/Config.ts"
import { requestIdAt } from "../engine/Ids.ts"
import { listenerStallMs } from "../engine/Limits.ts"
import { type HlsRendition, Live, type LiveAnswer } from "../engine/ports/Live.ts"
import { Busy, InvalidField, MethodNotAllowed, NotFound } from "../schema/Problems.ts"
import { makeAddressOf } from "./Address.ts"
import { type Counts, type HlsCaller, Listeners } from "./Listeners.ts"
import { houseFull, mp3Stream } from "./ListenMp3.ts"
import { startOf, startOfStream, startOfVariant } from "./ShiftStart.ts"
import { openToAll, StreamAnswers } from "./StreamAnswers.ts"

const streams = /^\/live\.mp3$|^\/api\/station\/listen$/
const place = /^\/live\/(aac128|aac64|words)\/(.+)$/
/** What a rendition is made of, by the name that its playlist gives. */
const names = {
  segment: /^s(\d{1,12})\.(m4s|vtt)$/,
  part: /^p(\d{1,12})\.(\d{1,3})\.(m4s|vtt)$/,
  archived: /^archive\/(\d{1,12})\.m4s$/
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

    const media = (response: ServerResponse, rendition: HlsRendition, name: string) => {
      const segment = names.segment.exec(name)
      const part = names.part.exec(name)
      const archived = names.archived.exec(name)
      if ((segment?.[2] ?? part?.[3] ?? "m4s") !== (rendition === "words" ? "vtt" : "m4s")) return answers.answer(response, { _tag: "Gone" })
      if (segment !== null) return answers.answer(response, live.segment(rendition, Number(segment[1])))
      if (part !== null) return eventually(response, live.part(rendition, Number(part[1]), Number(part[2])))
      if (archived !== null && rendition !== "words") return eventually(response, live.shifted.segment(rendition, Number(archived[1])))
      answers.answer(response, { _tag: "Gone" })
    }
    const playlist = (response: ServerResponse, rendition: HlsRendition, asked: URLSearchParams) => {
      const msn = whole(asked.get("_HLS_msn"))
      const part = whole(asked.get("_HLS_part"))
      if ((asked.has("_HLS_msn") && msn === null) || (asked.has("_HLS_part") && (part === null || msn === null))) {
        return answers.refuse(response, new InvalidField({ detail: "_HLS_msn and _HLS_part are whole numbers, and a part needs its msn." }))
      }
      const start = startOf(asked)
      if (start === "malformed" || start?._tag === "At") return answers.refuse(response, new InvalidField({ detail: startOfVariant }))
      if (start !== null) return rendition === "words" ? answers.answer(response, { _tag: "Gone" }) : eventually(response, live.shifted.playlist(rendition, start.behindSec))
      eventually(response, live.playlist(rendition, { msn, part, skip: asked.has("_HLS_skip") }))
    }
    const multivariant = (response: ServerResponse, start: ReturnType<typeof startOf>) => {
      if (start === "malformed") return answers.refuse(response, new InvalidField({ detail: startOfStream }))
      if (start === null) return answers.found(response, live.multivariant())
      eventually(response, live.shifted.multivariant(start))
    }
    const hls = (response: ServerResponse, path: string, asked: URLSearchParams, address: string) => {
      if (path === "/live/index.m3u8") return multivariant(response, startOf(asked))
      const [, rendition, name] = (place.exec(path) ?? []) as [string?, HlsRendition?, string?]
      if (rendition === undefined || name === undefined) return answers.refuse(response, new NotFound({ detail: "The stream has no such address. Begin at /live/index.m3u8." }))
      const caller: HlsCaller = { address, session: asked.get("session"), userAgent: String(response.req.headers["user-agent"] ?? "") }
      if (name === "index.m3u8") return listeners.hasRoomFor(caller, nowMs()) ? playlist(response, rendition, asked) : answers.refuse(response, houseFull)
      if (name === "init.mp4" && rendition !== "words") {
        const init = live.init(rendition)
        return init === null ? answers.answer(response, { _tag: "Late" }) : answers.found(response, init)
      }
      // Who only looks, or reads along, is no listener by that.
      const listens = response.req.method === "GET" && rendition !== "words"
      return !listens || listeners.tookHls(caller, nowMs()) ? media(response, rendition, name) : answers.refuse(response, houseFull)
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
      if (streams.test(path)) return mp3.handle(response, address)
      // Who takes nothing of an answer would hold it, and the connection, for ever.
      request.socket.setTimeout(listenerStallMs)
      hls(response, path, new URLSearchParams(query), address)
    }

    const handle = (request: IncomingMessage, response: ServerResponse): boolean => {
      if (mp3.holds(request.socket)) {
        request.socket.destroy()
        return true
      }
      const [path, query = ""] = (request.url ?? "/").split("?") as [string, string?]
      if (!path.startsWith("/live/") && !streams.test(path)) return false
      guarded(response, () => answerTo(request, response, path, query))
      return true
    }
    return Listen.of({ handle, listeners, counts: () => listeners.smoothed(nowMs()) })
  }))
}
