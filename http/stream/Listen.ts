import { Cause, Clock, Context, Effect, Exit, Layer, Metric } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { fencePath, fenceProofHeader } from "../../schema/air/Fence.ts"
import { requestIdAt } from "../../engine/runtime/IdSource.ts"
import { fenceProofNewMs, listenerStallMs, provenHoldMs } from "../../engine/rules/air/limits.ts"
import { CurrentMark } from "../../engine/ports/CurrentMark.ts"
import { Live } from "../../engine/ports/Live.ts"
import { Busy } from "../../schema/Problems.ts"
import { makeAddressOf } from "../server/Address.ts"
import { type Exchange, NodeExchange, type SocketExchange } from "../fastpath/Exchange.ts"
import { hlsStream } from "./HlsStream.ts"
import { makeEdgeGuard } from "./EdgeGuard.ts"
import { type Counts, ListenerCount } from "./ListenerCount.ts"
import { mp3Stream, type StreamFacts } from "./ListenMp3.ts"
import { StreamAnswers } from "../fastpath/StreamAnswers.ts"

const streams = /^\/live\.mp3$|^\/api\/station\/listen$/
const faults = Metric.counter("listen_faults_total", {
  description: "requests for the stream, and moments of it, that a defect spoiled",
  incremental: true
})

/** Serves `/live…` before the router, because it is the hottest path and sends prepared bytes. */
export class Listen extends Context.Service<
  Listen,
  {
    /** For Node's server: true if it answers the request. */
    readonly handle: (request: IncomingMessage, response: ServerResponse) => boolean
    /** For servers that can give their connections away: answers requests of players, which are those of `hls` and the endless ones. */
    readonly players: (exchange: SocketExchange) => void
    /** For any server: answers requests below `/live/`. */
    readonly hls: (exchange: Exchange) => void
    /** Answers and refusals, for servers that need them. */
    readonly answers: StreamAnswers
    readonly listeners: ListenerCount
    /** Displayed number of listeners. */
    readonly count: () => Counts
  }
>()("longwave/http/Listen") {
  /** `station`: how the MP3 stream describes it; null for the configured name and tagline, and the disclosure in force. */
  static readonly layerOf = (station: (() => StreamFacts) | null) =>
    Layer.effect(
      Listen,
      Effect.gen(function* () {
        const live = yield* Live
        const clock = yield* Clock.Clock
        const config = yield* StationConfig
        const mark = yield* CurrentMark
        const run = Effect.runForkWith(yield* Effect.context<never>())
        const addressOf = makeAddressOf(config.trustedProxies)
        const listeners = new ListenerCount(config.listenersMax)
        // Monotonic time: a wall clock may jump, and would end sessions.
        const nowMs = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
        const wallMs = () => clock.currentTimeMillisUnsafe()
        const isEdge = makeEdgeGuard(config.edgeSecret, listeners, nowMs)
        const onFault = (what: string, fault: unknown) =>
          void run(
            Effect.andThen(
              Metric.update(faults, 1),
              Effect.logError(`${what} failed`, Cause.isCause(fault) ? fault : Cause.die(fault))
            )
          )
        const answers = new StreamAnswers({
          publicUrl: config.publicUrl,
          requestId: () => requestIdAt(clock.currentTimeMillisUnsafe()),
          onFault: (requestId, fault) => onFault(`request ${requestId}`, fault)
        })
        const mp3 = yield* mp3Stream({
          live,
          listeners,
          answers,
          isEdge,
          station:
            station ??
            (() => {
              const { disclosure } = mark()
              return { name: config.stationName, description: `${config.stationTagline} ${disclosure}`, disclosure }
            }),
          nowMs,
          onFault
        })

        const {
          guard,
          hls: serveHls,
          canRead
        } = hlsStream({
          live,
          isEdge,
          listeners,
          answers,
          addressOf,
          nowMs,
          wallMs,
          run
        })

        const refuseAsStandby = (exchange: Exchange) =>
          guard(exchange, () =>
            answers.refuse(
              exchange,
              new Busy({ detail: "Another process of the station sends the stream. Ask again.", retryAfterSec: 1 })
            )
          )
        /** Only the process that has the air sends it. Requests wait a moment: a standby takes the air from an owner that died. */
        const whenOnAir = (exchange: Exchange, serve: () => void): void => {
          const proof = exchange.header(fenceProofHeader)
          const atMs = proof === "" ? null : live.seeFenceProof(proof, wallMs())
          if (live.isOnAir()) return serve()
          if (exchange.path === fencePath) return refuseAsStandby(exchange)
          // Its owner was alive a moment ago.
          const isSoonRefused = atMs !== null && wallMs() - atMs <= fenceProofNewMs
          const waiting = run(
            !isSoonRefused
              ? live.awaitAir
              : Effect.timeoutOrElse(live.awaitAir, { duration: provenHoldMs, orElse: () => Effect.succeed(false) })
          )
          exchange.onGone(() => waiting.interruptUnsafe())
          waiting.addObserver((exit) => {
            if (exchange.isOver) return
            if (Exit.isSuccess(exit) && exit.value) return serve()
            // A load balancer takes the refusal for a sign to ask another process.
            refuseAsStandby(exchange)
          })
        }
        const hls = (exchange: Exchange): void => whenOnAir(exchange, () => serveHls(exchange))
        const players = (exchange: SocketExchange): void => {
          if (!streams.test(exchange.path)) return hls(exchange)
          whenOnAir(exchange, () =>
            guard(exchange, () => {
              if (canRead(exchange))
                mp3.handle(exchange, addressOf(exchange.socketAddress, exchange.header("x-forwarded-for")))
            })
          )
        }

        const handle = (request: IncomingMessage, response: ServerResponse): boolean => {
          if (mp3.isHolding(request.socket)) {
            request.socket.destroy()
            return true
          }
          const exchange = new NodeExchange(response)
          const isPart = exchange.path.startsWith("/live/")
          if (!isPart && !streams.test(exchange.path)) return false
          // Closes readers that take nothing, which would hold the connection forever.
          if (isPart) request.socket.setTimeout(listenerStallMs)
          players(exchange)
          return true
        }
        return Listen.of({ handle, players, hls, answers, listeners, count: () => listeners.smooth(nowMs()) })
      })
    )
  static readonly layer = Listen.layerOf(null)
}
