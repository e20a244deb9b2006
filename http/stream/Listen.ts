import { Cause, Clock, Context, Effect, Layer, Metric } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { requestIdAt } from "../../engine/runtime/IdSource.ts"
import { listenerStallMs } from "../../engine/rules/air/limits.ts"
import { Live } from "../../engine/ports/Live.ts"
import { makeAddressOf } from "../server/Address.ts"
import { type Exchange, NodeExchange, type SocketExchange } from "../fastpath/Exchange.ts"
import { hlsStream } from "./HlsStream.ts"
import { type Counts, ListenerCount } from "./ListenerCount.ts"
import { mp3Stream } from "./ListenMp3.ts"
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
  static readonly layer = Layer.effect(
    Listen,
    Effect.gen(function* () {
      const live = yield* Live
      const clock = yield* Clock.Clock
      const config = yield* StationConfig
      const run = Effect.runForkWith(yield* Effect.context<never>())
      const addressOf = makeAddressOf(config.trustedProxies)
      const listeners = new ListenerCount(config.listenersMax)
      // Monotonic time: a wall clock may jump, and would end sessions.
      const nowMs = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
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
        station: { name: config.stationName, tagline: config.stationTagline },
        nowMs,
        onFault
      })

      const { guard, hls, canRead } = hlsStream({ live, listeners, answers, addressOf, nowMs, run })

      const players = (exchange: SocketExchange): void => {
        if (!streams.test(exchange.path)) return hls(exchange)
        guard(exchange, () => {
          if (canRead(exchange))
            mp3.handle(exchange, addressOf(exchange.socketAddress, exchange.header("x-forwarded-for")))
        })
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
}
