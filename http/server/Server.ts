import { Clock, Context, Effect, Metric, Schedule, Scope } from "effect"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { createServer, type IncomingMessage, maxHeaderSize, type ServerResponse, STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import { BadConfig } from "../../engine/runtime/Config.ts"
import { requestIdAt } from "../../engine/runtime/IdSource.ts"
import {
  bodyRateMinBytesPerSec,
  bodyRateWindowMs,
  connectionsCheckMs,
  drainGraceMs,
  headersTimeoutMs,
  keepAliveMs,
  listenBacklog,
  requestServicesMax,
  socketIdleMs
} from "../../engine/rules/http/limits.ts"
import { Busy, InvalidField, PayloadTooLarge, RequestTimeout } from "../../schema/Problems.ts"
import type { AnswerLog } from "./AnswerLog.ts"
import { makeAddressOf, makeHolderOf } from "./Address.ts"
import { Backlog } from "./Backlog.ts"
import { renderBareProblem, type Refusal, sendProblem } from "../fastpath/BareProblem.ts"
import { Connections } from "./Connections.ts"
import type { SocketExchange } from "../fastpath/Exchange.ts"
import { makeLane } from "../fastpath/FastPath.ts"
import { HeapGuard } from "./HeapGuard.ts"
import { Intake } from "./Intake.ts"
import { Pipeline } from "./Pipeline.ts"
import { StartQueue } from "./StartQueue.ts"

const held = Metric.gauge("http_held_bytes", {
  description: "bytes of requests sent ahead and of answers not taken, over all connections"
})
const cut = Metric.counter("http_connections_cut_total", {
  description: "connections cut off because their reader took too little, or all together held too much",
  incremental: true
})
const startWait = Metric.gauge("http_start_wait_ms", {
  description: "how long a request has waited for its start, the longest in the last two seconds"
})

type Handler = (request: IncomingMessage, response: ServerResponse) => void

const json = (response: ServerResponse, status: number, document: unknown) => {
  const body = Buffer.from(JSON.stringify(document))
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": body.length,
    "cache-control": "no-store",
    "retry-after": "2"
  })
  response.end(response.req.method === "HEAD" ? undefined : body)
}

const isProbe = (url: string | undefined): boolean => /^\/(healthz|readyz)(\?|$)/.test(url ?? "")

const listenFailure = (
  error: NodeJS.ErrnoException,
  { host, port }: { readonly host: string; readonly port: number }
): string =>
  error.code === "EADDRINUSE"
    ? `PORT is ${port}: another program listens there. It must be a port that is free.`
    : error.code === "EACCES"
      ? `PORT is ${port}: this user may not listen there. It must be a port from 1024 up, or the right to use it given.`
      : `HOST is ${JSON.stringify(host)}: it must be an address of this machine, such as 0.0.0.0 or 127.0.0.1 (${error.code ?? error.message}).`

/**
 * "answered": the request has its answer, or will get it, or is left to the API later, by `leave`. "first": the API answers it at once, because others
 * wait for this answer. "unknown": the API answers it in its turn.
 */
export type FromMemory = (
  request: IncomingMessage,
  response: ServerResponse,
  leave: (isFirst: boolean) => void
) => "answered" | "first" | "unknown"

export interface Server {
  readonly port: number
  /**
   * Installs the API; when the scope closes, it is removed and running requests finish. `fromMemory` answers requests
   * that need nothing of it.
   */
  readonly open: <E, R>(
    app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
    fromMemory?: FromMemory
  ) => Effect.Effect<void, never, Exclude<R, HttpServerRequest.HttpServerRequest | Scope.Scope> | Scope.Scope>
}

/**
 * One Node server for everything: the stream's handler first, then the API once it is installed. It listens before the
 * API is ready, because sound doesn't wait for a database.
 */
export const makeServer = Effect.fnUntraced(function* (options: {
  readonly host: string
  readonly port: number
  readonly publicUrl: string
  readonly trustedProxies?: string
  /** Multiplies the bounds per address, for load tests. */
  readonly scale?: number
  /** Bound of the memory held by all connections. */
  readonly heldMaxBytes?: number
  readonly listen: (request: IncomingMessage, response: ServerResponse) => boolean
  /** Told of every answer of the API. */
  readonly noteAnswer?: AnswerLog
  /** Handles requests of players; if given, they get the fast path. */
  readonly players?: (exchange: SocketExchange) => void
}): Effect.fn.Return<Server, BadConfig, Scope.Scope> {
  const clock = yield* Clock.Clock
  const refuse = (refusal: Refusal) =>
    renderBareProblem(options.publicUrl, requestIdAt(clock.currentTimeMillisUnsafe()), refusal)

  /** While the API is missing, at start and stop, the server answers for it; the stream is served all the same. */
  const answerAsUnavailable =
    (detail: string): Handler =>
    (request, response) => {
      const path = request.url?.split("?")[0]
      if (path === "/healthz") return json(response, 200, { ok: true })
      if (path === "/readyz")
        return json(response, 503, {
          ready: false,
          checks: { api: false, air: true, nowPlaying: false, queue: false, station: false }
        })
      sendProblem(response, refuse(new Busy({ detail, retryAfterSec: 2 })))
    }
  let api = answerAsUnavailable("The station is starting: it is on the air, its API follows in a moment.")
  let fromMemory: FromMemory = () => "unknown"
  /** Answers that a stop waits for. */
  const running = new Set<ServerResponse>()
  /** Event streams end with the station; only plain answers are awaited. */
  const leaveEventStream = (answer: HttpServerResponse.HttpServerResponse) =>
    answer.headers["content-type"]?.startsWith("text/event-stream") === true
      ? Effect.map(HttpServerRequest.HttpServerRequest, (request) =>
          running.delete(NodeHttpServerRequest.toServerResponse(request) as ServerResponse)
        )
      : Effect.void
  const connections = new Connections({ trustedProxies: options.trustedProxies ?? "", scale: options.scale ?? 1 })
  const backlog = new Backlog({
    holderOf: makeHolderOf(options.trustedProxies ?? ""),
    ...(options.heldMaxBytes === undefined ? {} : { maxBytes: options.heldMaxBytes })
  })
  const onHeld = (socket: Socket) => backlog.measure(socket)
  const pipeline = new Pipeline(onHeld)
  const intake = new Intake()
  const monotonicMs = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
  const withoutHost = new InvalidField({
    detail: "A request of HTTP/1.1 needs the header host.",
    errors: [{ pointer: "/headers/host", code: "INVALID_FIELD", detail: "is required" }]
  })
  const heap = new HeapGuard(monotonicMs)
  const heapFull = new Busy({
    detail: "The station is short of memory; it is on the air. Try again in a moment.",
    retryAfterSec: 10
  })
  const tooSlow = new RequestTimeout({
    detail: `The body must arrive with ${bodyRateMinBytesPerSec} bytes a second at least, over any ${bodyRateWindowMs / 1_000} s. Nothing was kept; send it again over a faster line.`
  })
  const queue = new StartQueue(monotonicMs)
  const clientOf = makeAddressOf(options.trustedProxies ?? "")
  const overloaded = new Busy({
    detail: "The station has more requests than it can answer. This one was not started. Send it again in a moment.",
    retryAfterSec: 5
  })
  const answerByApi = (request: IncomingMessage, response: ServerResponse, isFirst: boolean): void => {
    const { headers, socket } = request
    backlog.setOwn(socket, true)
    if (heap.isFull && !isProbe(request.url))
      return sendProblem(response, refuse(heapFull), { connection: "close", "access-control-allow-origin": "*" })
    response.once("prefinish", () => onHeld(socket))
    running.add(response)
    response.once("close", () => running.delete(response))
    const start = () => api(request, response)
    if (isFirst || isProbe(request.url)) return start()
    queue.add(clientOf(socket.remoteAddress, headers["x-forwarded-for"]?.toString()), {
      // A body that was too slow has its answer already.
      isAwaited: () => !response.destroyed && !response.headersSent,
      start,
      refuse: () =>
        sendProblem(response, refuse(overloaded), { connection: "close", "access-control-allow-origin": "*" })
    })
  }
  const server = createServer(
    {
      headersTimeout: headersTimeoutMs,
      // How long a body may take depends on its length: `Intake` holds it to a minimum rate.
      requestTimeout: 0,
      connectionsCheckingInterval: connectionsCheckMs,
      keepAliveTimeout: keepAliveMs,
      // Node would refuse a request without a host with an empty body.
      requireHostHeader: false
    },
    (request, response) => {
      const { socket } = request
      pipeline.begin(request, response)
      const refusal = connections.refusal(socket)
      // Health probes are answered even if their address has too many connections.
      if (refusal !== undefined && isProbe(request.url)) response.setHeader("connection", "close")
      else if (refusal !== undefined)
        return sendProblem(response, refuse(refusal), { connection: "close", "access-control-allow-origin": "*" })
      if (request.httpVersion === "1.1" && request.headers.host === undefined)
        return sendProblem(response, refuse(withoutHost), { connection: "close" })
      intake.begin(request, monotonicMs(), () => {
        // Node closes the connection after this answer, so a handler that still reads the body gets an error.
        if (response.headersSent) request.destroy()
        else sendProblem(response, refuse(tooSlow), { connection: "close" })
      })
      // Stream and pages are in memory once for all; only the queue of an endless stream is counted.
      if (options.listen(request, response)) return backlog.setOwn(socket, response.socket === null)
      const begunMs = monotonicMs()
      response.once("close", () => options.noteAnswer?.(request, response, monotonicMs() - begunMs))
      // So are answers that are the same for everybody.
      const found = fromMemory(request, response, (isFirst) => answerByApi(request, response, isFirst))
      if (found === "answered") backlog.setOwn(socket, false)
      else answerByApi(request, response, found === "first")
    }
  )
  server.timeout = socketIdleMs
  // Replaces the connection handler for connections outside the fast path.
  const [begin] = server.listeners("connection") as [(socket: Socket) => void]
  server.off("connection", begin)
  const handOver = (socket: Socket) => {
    begin.call(server, socket)
    pipeline.attach(socket)
  }
  // Sound is in memory once for all; only the queue of an endless stream is counted.
  const onTaken = (socket: Socket) => backlog.setOwn(socket, true)
  const lane =
    options.players === undefined ? null : yield* makeLane({ answer: options.players, handOver, onHeld, onTaken })
  /** Those that endless streams have taken from Node's server, too. */
  const open = new Set<Socket>()
  server.on("connection", (socket: Socket) => {
    queue.noteConnection()
    open.add(socket)
    socket.once("close", () => open.delete(socket))
    connections.take(socket)
    if (socket.destroyed) return
    backlog.enter(socket)
    if (lane === null || connections.refusal(socket) !== undefined) handOver(socket)
    else lane.take(socket)
  })
  yield* Effect.suspend(() => {
    backlog.sweep(monotonicMs())
    intake.sweep(monotonicMs())
    return Effect.all(
      [
        Metric.update(held, backlog.heldBytes),
        Metric.update(cut, backlog.takeCutCount()),
        Metric.update(startWait, queue.takeLongestWaitMs()),
        heap.report
      ],
      { discard: true }
    )
  }).pipe(Effect.repeat(Schedule.spaced(connectionsCheckMs)), Effect.forkScoped)
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    // Only the last unanswered request gets the parse error.
    if (!(error.code ?? "").startsWith("HPE_") || !socket.writable || (socket as Socket).bytesWritten > 0)
      return void socket.destroy()
    const { body, headers, status } = refuse(
      error.code === "HPE_HEADER_OVERFLOW"
        ? new PayloadTooLarge({ detail: `All headers together can have at most ${maxHeaderSize} bytes.` })
        : new InvalidField({ detail: "Not a valid HTTP/1.1 request." })
    )
    const lines = Object.entries({ ...headers, connection: "close" })
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join("")
    socket.end(Buffer.concat([Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}\r\n`), body]))
  })
  yield* Effect.acquireRelease(
    Effect.callback<void, BadConfig>((resume) => {
      server.once("error", (error) => resume(Effect.fail(new BadConfig({ problems: [listenFailure(error, options)] }))))
      server.listen({ host: options.host, port: options.port, backlog: listenBacklog }, () => resume(Effect.void))
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        lane?.close()
        for (const socket of open) socket.destroy()
      })
  )
  const address = server.address()
  return {
    port: typeof address === "object" && address !== null ? address.port : options.port,
    open: (app, memory = () => "unknown") =>
      Effect.gen(function* () {
        // A separate scope: closing the outer one would interrupt requests before they are awaited.
        const requests = yield* Scope.make()
        const made = NodeHttpServer.makeHandler(Effect.tap(app, leaveEventStream), { scope: requests })
        type Services = Context.Context<Effect.Services<typeof made>>
        // Each request adds services of its own to hundreds. With a few more layers, they aren't copied for it.
        api = yield* Effect.updateContext(made, (context: Services): Services =>
          Context.makeUnsafe(context.mapUnsafe, { maxDepth: requestServicesMax })
        )
        fromMemory = memory
        yield* Effect.addFinalizer((exit) =>
          Effect.gen(function* () {
            fromMemory = () => "unknown"
            api = answerAsUnavailable("The station is shutting down. Send the request again when it is back.")
            yield* Effect.sleep(10).pipe(
              Effect.repeat({ while: () => running.size > 0 }),
              Effect.timeoutOption(drainGraceMs)
            )
            yield* Scope.close(requests, exit)
          })
        )
      })
  }
})
