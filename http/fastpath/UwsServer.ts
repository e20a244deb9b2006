import { Context, Effect, type Scope } from "effect"
import { HttpEffect, type HttpServerRequest, type HttpServerResponse } from "effect/http"
import { BadConfig } from "../../engine/runtime/Config.ts"
import { Busy, NotFound } from "../../schema/Problems.ts"
import type { Exchange } from "./Exchange.ts"
import type { Sink } from "../stream/events/EventFanout.ts"
import { SinkOf } from "../stream/events/SinkOf.ts"
import type { StreamAnswers } from "./StreamAnswers.ts"
import type { Uws } from "./Uws.ts"
import { UwsExchange } from "./UwsExchange.ts"

/** Event streams: the part of the API that benefits from this server. */
const events = /^\/api\/(station\/)?now-playing$|^\/api\/station\/chat\/events$/

const sinkOf = (exchange: UwsExchange, ended: () => void): Sink => ({
  write: (piece) => exchange.write(piece.plain),
  backlogBytes: () => exchange.backlogBytes,
  end: ended,
  drop: () => exchange.cutOff()
})

export interface UwsServer {
  readonly port: number
  /** Installs the API's event streams; removed when the scope closes. */
  readonly open: <E, R>(
    app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
  ) => Effect.Effect<void, never, Exclude<R, HttpServerRequest.HttpServerRequest | Scope.Scope> | Scope.Scope>
}

/**
 * HLS and event streams by uWebSockets.js, on a port beside Node's server: a proxy routes them there. MP3 stays with
 * Node, because this server forces chunked framing, which players of endless streams reject.
 */
export const makeUwsServer = Effect.fnUntraced(function* ({
  answers,
  connectionsMax,
  hls,
  host,
  port,
  uws
}: {
  readonly uws: Uws
  readonly host: string
  readonly port: number
  readonly connectionsMax: number
  readonly hls: (exchange: Exchange) => void
  readonly answers: StreamAnswers
}): Effect.fn.Return<UwsServer, BadConfig, Scope.Scope> {
  let api: ((request: Request) => Promise<Response>) | null = null
  let connections = 0
  const exchanges = new WeakMap<Request, UwsExchange>()

  const tell = async (exchange: UwsExchange, answer: (request: Request) => Promise<Response>): Promise<void> => {
    const gone = new AbortController()
    exchange.onGone(() => gone.abort())
    const query = exchange.query === "" ? "" : `?${exchange.query}`
    const request = new Request(`http://${host}${exchange.path}${query}`, {
      method: exchange.method,
      headers: [...exchange.headers],
      signal: gone.signal
    })
    // The client address, where Node's requests have it.
    Object.assign(request, { socket: { remoteAddress: exchange.socketAddress } })
    exchanges.set(request, exchange)
    const response = await answer(request)
    const headers = Object.fromEntries(response.headers)
    if (response.body === null) return exchange.send({ status: response.status, headers, body: null })
    if (!(headers["content-type"] ?? "").startsWith("text/event-stream"))
      return exchange.send({ status: response.status, headers, body: new Uint8Array(await response.arrayBuffer()) })
    exchange.begin(response.status, headers)
    for await (const bytes of response.body) exchange.write(bytes)
    exchange.end()
  }

  const take = (exchange: UwsExchange): void => {
    if (connections > connectionsMax)
      return answers.refuse(
        exchange,
        new Busy({
          detail: "The station has reached its limit of connections. Try again in a moment.",
          retryAfterSec: 10
        }),
        { connection: "close" }
      )
    if (exchange.path.startsWith("/live/")) return hls(exchange)
    const reads = exchange.method === "GET" || exchange.method === "HEAD" || exchange.method === "OPTIONS"
    if (!events.test(exchange.path) || !reads)
      return answers.refuse(
        exchange,
        new NotFound({
          detail: "This port serves HLS and event streams only. Use the station's address for everything else."
        })
      )
    if (api === null)
      return answers.refuse(
        exchange,
        new Busy({
          detail: "The API is starting or stopping; the station is on the air. Try again in a moment.",
          retryAfterSec: 2
        })
      )
    tell(exchange, api).catch((fault: unknown) => (exchange.isOver ? undefined : answers.fault(exchange, fault)))
  }

  const app = uws.App()
  app.filter((_response, count) => void (connections += count))
  app.any("/*", (response, request) => {
    const exchange = new UwsExchange(response, request)
    take(exchange)
    exchange.hold()
  })
  const listening = yield* Effect.acquireRelease(
    Effect.callback<object, BadConfig>((resume) => {
      app.listen(host, port, (socket) =>
        resume(
          socket === false
            ? Effect.fail(
                new BadConfig({
                  problems: [`UWS_PORT is ${port}: ${host} can't be listened to there. It must be a port that is free.`]
                })
              )
            : Effect.succeed(socket)
        )
      )
    }),
    () => Effect.sync(() => app.close())
  )
  return {
    port: uws.us_socket_local_port(listening),
    open: <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
      Effect.gen(function* () {
        type Needed = Exclude<R, HttpServerRequest.HttpServerRequest | Scope.Scope>
        const context = Context.add(yield* Effect.context<Needed>(), SinkOf, (request, ended) =>
          sinkOf(exchanges.get(request.source as Request)!, ended)
        )
        // Its requirements are in the context; the general types don't express that.
        api = HttpEffect.toWebHandlerWith<never, HttpServerRequest.HttpServerRequest | Scope.Scope>(
          context as Context.Context<never>
        )(
          app as Effect.Effect<
            HttpServerResponse.HttpServerResponse,
            E,
            HttpServerRequest.HttpServerRequest | Scope.Scope
          >
        )
        yield* Effect.addFinalizer(() => Effect.sync(() => void (api = null)))
      })
  }
})
