import { Effect, type Scope } from "effect"
import { NodeHttpServer } from "@effect/platform-node"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { drainGraceMs, headersTimeoutMs, listenBacklog, requestTimeoutMs } from "../engine/Limits.ts"

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** While there is no API, at the start and at the end, the process says so itself; the stream is served all the same. */
const waiting = (publicUrl: string, detail: string): Handler => (request, response) => {
  const path = request.url?.split("?")[0]
  const [status, document] = path === "/healthz"
    ? [200, { ok: true }]
    : path === "/readyz"
    ? [503, { ready: false, checks: { api: false, air: true } }]
    : [503, { type: `${publicUrl}/problems/busy`, title: "The station has too much to do at the moment.", status: 503, detail, code: "BUSY", errors: [] }]
  const body = Buffer.from(JSON.stringify(document))
  response.writeHead(status as number, {
    "content-type": status === 503 && path !== "/readyz" ? "application/problem+json" : "application/json",
    "content-length": body.length,
    "cache-control": "no-store",
    "retry-after": "2"
  })
  response.end(request.method === "HEAD" ? undefined : body)
}

export interface Server {
  readonly port: number
  /** Puts the API in place; when the scope closes it is taken out again, and what was begun is waited for. */
  readonly open: <E, R>(
    app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
  ) => Effect.Effect<void, never, Exclude<R, HttpServerRequest.HttpServerRequest | Scope.Scope> | Scope.Scope>
}

/**
 * One node server for all: the stream's own handler first, then whatever API is in place. It listens before the API is there,
 * because sound doesn't wait for a database.
 */
export const makeServer = Effect.fnUntraced(function*(options: {
  readonly host: string
  readonly port: number
  readonly publicUrl: string
  readonly listen: (request: IncomingMessage, response: ServerResponse) => boolean
}): Effect.fn.Return<Server, never, Scope.Scope> {
  let api = waiting(options.publicUrl, "The station is starting: it is on the air, its API follows in a moment.")
  let running = 0
  const server = createServer({ headersTimeout: headersTimeoutMs, requestTimeout: requestTimeoutMs, keepAliveTimeout: 15_000 }, (request, response) => {
    if (options.listen(request, response)) return
    running += 1
    response.once("close", () => running -= 1)
    api(request, response)
  })
  server.on("clientError", (_error, socket) => socket.destroy())
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.once("error", (error) => resume(Effect.die(error)))
      server.listen({ host: options.host, port: options.port, backlog: listenBacklog }, () => resume(Effect.void))
    }),
    () => Effect.callback<void>((resume) => {
      server.close(() => resume(Effect.void))
      server.closeAllConnections()
    })
  )
  const address = server.address()
  return {
    port: typeof address === "object" && address !== null ? address.port : options.port,
    open: (app) => Effect.gen(function*() {
      const scope = yield* Effect.scope
      api = yield* NodeHttpServer.makeHandler(app, { scope })
      yield* Effect.addFinalizer(() => Effect.gen(function*() {
        api = waiting(options.publicUrl, "The station is ending: send the request again when it is back.")
        yield* Effect.sleep(10).pipe(Effect.repeat({ while: () => running > 0 }), Effect.timeoutOption(drainGraceMs))
      }))
    })
  }
})
