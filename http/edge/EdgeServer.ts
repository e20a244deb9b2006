import { Clock, Effect, Exit, Layer, Metric, Schedule, type Scope } from "effect"
import { HttpServerResponse } from "effect/http"
import type { IncomingMessage, ServerResponse } from "node:http"
import { blockingTimeoutMs, edgeListMs, edgePatienceMs, edgeRetryMs } from "../../engine/rules/air/limits.ts"
import { Live } from "../../engine/ports/Live.ts"
import { type OriginFigures, Origins } from "../../engine/ports/Origins.ts"
import { type BadConfig, StationConfig } from "../../engine/runtime/Config.ts"
import { requestIdAt } from "../../engine/runtime/IdSource.ts"
import { isSecret, sha256 } from "../../engine/runtime/Secrets.ts"
import { Busy, NotFound } from "../../schema/Problems.ts"
import { type Refusal, renderBareProblem, sendProblem } from "../fastpath/BareProblem.ts"
import type { SocketExchange } from "../fastpath/Exchange.ts"
import { NodeExchange } from "../fastpath/Exchange.ts"
import { StreamAnswers } from "../fastpath/StreamAnswers.ts"
import { makeAddressOf } from "../server/Address.ts"
import { makeProcessMetrics, renderMetrics } from "../server/ProcessMetrics.ts"
import { makeServer } from "../server/Server.ts"
import { Listen } from "../stream/Listen.ts"
import type { StreamFacts } from "../stream/ListenMp3.ts"
import { ReaderPlaces } from "../stream/events/ReaderPlaces.ts"
import { relayEvents } from "./EventRelay.ts"
import { makeProxy } from "./OriginProxy.ts"

const listenersNow = Metric.gauge("longwave_listeners", { description: "listeners at the moment, by output" })
const readersNow = Metric.gauge("longwave_edge_readers", { description: "readers of event streams" })
const passedNow = Metric.gauge("longwave_edge_passed_on", { description: "requests passed on to the origin now" })
const fetchesAll = Metric.counter("longwave_edge_fetches_total", {
  description: "objects of the stream fetched from origins",
  incremental: true
})
const keptNow = Metric.gauge("longwave_edge_kept_bytes", { description: "bytes of the stream kept in memory" })
const fenceNow = Metric.gauge("longwave_edge_fence", { description: "highest fencing token seen; 0 before the first" })
const switchesAll = Metric.counter("longwave_edge_switches_total", {
  description: "how often another origin was taken",
  incremental: true
})
const originUp = Metric.gauge("longwave_edge_origin_up", {
  description: "1 for an origin that answers, by its address"
})
const originFollowed = Metric.gauge("longwave_edge_origin_followed", {
  description: "1 for the origin that is followed"
})

const asText = (header: string | ReadonlyArray<string> | undefined): string =>
  Buffer.from(String(header ?? ""), "latin1").toString()

const json = (response: ServerResponse, status: number, document: unknown): true => {
  const body = JSON.stringify(document)
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    "cache-control": "no-store"
  })
  response.end(response.req.method === "HEAD" ? undefined : body)
  return true
}

/** What the headers of the origin's MP3 stream say of the station; asks until it answers. */
const describe = Effect.gen(function* () {
  const origins = yield* Origins
  for (;;) {
    const answer = yield* Effect.exit(
      origins.get(origins.current(), { method: "HEAD", path: "/live.mp3", timeoutMs: edgePatienceMs })
    )
    if (Exit.isSuccess(answer) && answer.value.status === 200) {
      const { headers } = answer.value
      const facts: StreamFacts = {
        name: asText(headers["icy-name"]),
        description: asText(headers["icy-description"]),
        disclosure: asText(headers["icy-disclosure"])
      }
      return facts
    }
    yield* Effect.sleep(edgeRetryMs)
  }
})

/**
 * The server of an edge: the stream from memory, the event streams from one reader at the origin, and everything else passed on to it. It
 * has no database, no actors and no sound of its own.
 */
export const serveEdge = Effect.fnUntraced(function* (
  figures: OriginFigures
): Effect.fn.Return<{ readonly port: number }, BadConfig, StationConfig | Origins | Live | Scope.Scope> {
  const config = yield* StationConfig
  const origins = yield* Origins
  const live = yield* Live
  const clock = yield* Clock.Clock
  const requestId = () => requestIdAt(clock.currentTimeMillisUnsafe())
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const addressOf = makeAddressOf(config.trustedProxies)
  const places = new ReaderPlaces()
  const refuse = (response: ServerResponse, refusal: Refusal) =>
    sendProblem(response, renderBareProblem(config.publicUrl, requestId(), refusal), {
      "access-control-allow-origin": "*"
    })
  const early = new StreamAnswers({ publicUrl: config.publicUrl, requestId, onFault: () => undefined })
  const starting = new Busy({
    detail: "This edge has not reached its station yet. Try again in a moment.",
    retryAfterSec: 2
  })

  let listen: Listen["Service"] | null = null
  const isStream = (path: string) => /^\/live\/|^\/live\.mp3$|^\/api\/station\/listen$/.test(path)
  const players = (exchange: SocketExchange) =>
    listen === null ? early.refuse(exchange, starting) : listen.players(exchange)

  const proxy = yield* makeProxy(config.publicUrl, requestId)
  const nowPlaying = yield* relayEvents(
    { path: "/api/now-playing?format=sse", isBase: (name) => name === "now-playing", moves: true },
    { addressOf, places, refuse }
  )
  const chat = yield* relayEvents(
    { path: "/api/station/chat/events", isBase: (name) => name === "snapshot", moves: false },
    { addressOf, places, refuse }
  )
  /** The stream of events that a request asks for, if it is the same for everybody. */
  const eventsOf = (request: IncomingMessage, path: string, query: URLSearchParams) => {
    const { authorization, cookie } = request.headers
    if (request.method !== "GET") return null
    const isPlain = (...names: ReadonlyArray<string>) => [...query.keys()].every((name) => names.includes(name))
    if (/^\/api\/(station\/)?now-playing$/.test(path))
      return query.get("format") === "sse" && isPlain("format", "lastEventId") ? nowPlaying : null
    if (path !== "/api/station/chat/events" || authorization !== undefined || cookie !== undefined) return null
    return request.headers["x-listener-token"] === undefined && isPlain("lastEventId") ? chat : null
  }

  const measureProcess = yield* makeProcessMetrics
  let [fetched, switches] = [0, 0]
  const measure = Effect.gen(function* () {
    const { hls, mp3 } = listen?.count() ?? { hls: 0, mp3: 0 }
    const current = origins.current()
    yield* Effect.all(
      [
        measureProcess,
        Metric.update(Metric.withAttributes(listenersNow, { output: "hls" }), hls),
        Metric.update(Metric.withAttributes(listenersNow, { output: "mp3" }), mp3),
        Metric.update(readersNow, places.total),
        Metric.update(passedNow, proxy.passed()),
        Metric.update(fetchesAll, figures.fetched() - fetched),
        Metric.update(keptNow, figures.bytes()),
        Metric.update(fenceNow, origins.fence() ?? 0),
        Metric.update(switchesAll, origins.switches() - switches),
        ...origins.all.flatMap((origin) => [
          Metric.update(Metric.withAttributes(originUp, { origin: origin.url }), origin.isFailing ? 0 : 1),
          Metric.update(Metric.withAttributes(originFollowed, { origin: origin.url }), origin === current ? 1 : 0)
        ])
      ],
      { discard: true }
    )
    fetched = figures.fetched()
    switches = origins.switches()
    return yield* renderMetrics
  })
  const metrics = (request: IncomingMessage, response: ServerResponse) => {
    const token = (request.headers.authorization ?? "").replace(/^Bearer\s+/i, "")
    const isAllowed =
      config.metricsToken === null
        ? /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/.test(config.host)
        : isSecret(token, sha256(config.metricsToken))
    // Nobody learns that there is something to ask for.
    if (!isAllowed)
      return refuse(response, new NotFound({ detail: "Metrics need METRICS_TOKEN as Authorization: Bearer." }))
    run(
      Effect.map(measure, (text) => {
        response.writeHead(200, { "content-type": "text/plain; version=0.0.4", "cache-control": "no-store" })
        response.end(text)
      })
    )
  }
  const readiness = () => {
    const checks = {
      origin: !origins.current().isFailing,
      stream: listen !== null && live.init("aac128") !== null && figures.silentMs() < blockingTimeoutMs,
      events: nowPlaying.isReady()
    }
    return { ready: checks.origin && checks.stream, checks, origin: origins.current().url, fence: origins.fence() }
  }

  const handle = (request: IncomingMessage, response: ServerResponse): boolean => {
    const [path = "/", query = ""] = (request.url ?? "/").split("?", 2)
    if (path === "/healthz") return json(response, 200, { ok: true })
    if (path === "/readyz") {
      const state = readiness()
      return json(response, state.ready ? 200 : 503, state)
    }
    if (path === "/metrics") {
      metrics(request, response)
      return true
    }
    const events = eventsOf(request, path, new URLSearchParams(query))
    if (events === null) return proxy.handle(request, response)
    events.handle(request, response, new URLSearchParams(query).get("lastEventId"))
    return true
  }

  const server = yield* makeServer({
    host: config.host,
    port: config.port,
    publicUrl: config.publicUrl,
    trustedProxies: config.trustedProxies,
    scale: config.rateLimitScale,
    players,
    listen: (request, response) => {
      if (listen !== null) return listen.handle(request, response)
      const exchange = new NodeExchange(response)
      if (!isStream(exchange.path)) return false
      early.refuse(exchange, starting)
      return true
    }
  })
  // Everything is answered before the router, which has no routes here.
  yield* server.open(Effect.succeed(HttpServerResponse.empty({ status: 404 })), (request, response) =>
    handle(request, response) ? "answered" : "unknown"
  )
  yield* Effect.gen(function* () {
    let station = yield* describe
    const made = yield* Layer.build(Listen.layerOf(() => station))
    const ready = yield* Listen.pipe(Effect.provideContext(made))
    origins.report(() => ready.listeners.count(Number(clock.monotonicTimeNanosUnsafe()) / 1e6))
    listen = ready
    yield* Effect.logInfo(`The edge follows ${origins.current().url}.`)
    // Operators change the disclosure while the station runs.
    yield* Effect.sleep(edgeListMs).pipe(
      Effect.andThen(describe),
      Effect.map((now) => void (station = now)),
      Effect.forever
    )
  }).pipe(Effect.forkScoped)
  // A change of the origin is worth a line.
  let known = origins.current()
  yield* Effect.suspend(() => {
    if (origins.current() === known) return Effect.void
    known = origins.current()
    return Effect.logWarning(`The edge follows ${known.url} now.`)
  }).pipe(Effect.repeat(Schedule.spaced(edgeRetryMs)), Effect.forkScoped)
  return { port: server.port }
})
