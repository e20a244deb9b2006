import { Effect, Exit, Layer, Schedule } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { EventBus } from "../actors/runtime/EventBus.ts"
import { StationConfig } from "../engine/runtime/Config.ts"
import { addressReadsPerMinuteMax, readinessEveryMs, readinessPatienceMs } from "../engine/rules/http/limits.ts"
import { operatorsRememberedMax } from "../engine/rules/operations/limits.ts"
import { Air } from "../engine/ports/Air.ts"
import { isOnAir } from "../engine/rules/air/StationSnapshots.ts"
import { isSecret, sha256 } from "../engine/runtime/Secrets.ts"
import { OperatorRequired, RateLimited } from "../schema/Problems.ts"
import { ClientAddress } from "./api/Client.ts"
import { Flood } from "./envelope/Flood.ts"
import { snapshot, stationView } from "./views/StationViews.ts"
import { measureAir } from "./Metrics.ts"
import { makeProcessMetrics, renderMetrics } from "./server/ProcessMetrics.ts"
import { operatorKeyOf, operatorOf } from "./auth/OperatorOf.ts"

/** Whether a host or address is this machine alone. */
const isLoopback = (host: string): boolean =>
  host === "localhost" || /^(\[?::1\]?|(::ffff:)?127\.\d+\.\d+\.\d+)$/.test(host)

/** Whether the store answers a read in time. */
const isAnswering = <A, E, R>(read: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.exit(Effect.timeout(read, readinessPatienceMs)), Exit.isSuccess)

/**
 * Readiness: the air chain is up, the store answers, and playback, queue and station state can be read. The air chain
 * is queried directly, because the actors that report on it may have failed too.
 */
const look = Effect.gen(function* () {
  const bus = yield* EventBus
  const air = yield* Effect.map(Effect.exit((yield* Air).status), (exit) => Exit.isSuccess(exit) && isOnAir(exit.value))
  const checks = {
    api: (yield* bus.get("store")) ?? true,
    air,
    nowPlaying: yield* isAnswering(snapshot("nowPlaying")),
    queue: yield* isAnswering(snapshot("queue")),
    station: yield* isAnswering(stationView)
  }
  return { ready: Object.values(checks).every((holds) => holds), checks }
})

/** Probes read the cached result of the last check, so that their number doesn't matter. */
const ready = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    let last = yield* look
    yield* Effect.map(look, (found) => void (last = found)).pipe(
      Effect.ignoreCause,
      Effect.repeat(Schedule.spaced(readinessEveryMs)),
      Effect.forkScoped
    )
    yield* router.add(
      "GET",
      "/readyz",
      Effect.sync(() => HttpServerResponse.jsonUnsafe(last, { status: last.ready ? 200 : 503 }))
    )
  })
)

/**
 * Open to the metrics token and operators' tokens; without one only where nobody else can ask. A proxy on this machine
 * connects from loopback for everybody, so the socket's address proves nothing: the listener must be bound to loopback,
 * and a station that is bound to it and still has a public address stands behind a proxy. Authorized callers are not
 * limited; guessing a token is.
 */
export const MetricsRoute = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const config = yield* StationConfig
    const flood = yield* Flood
    const measureProcess = yield* makeProcessMetrics
    const isLocalOnly = isLoopback(config.host) && isLoopback(new URL(config.publicUrl).hostname)
    // Hashes of valid operator credentials, which are looked up without a limit.
    const known = new Set<string>()

    const isOperator = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
      const { parts } = operatorKeyOf(request, config.publicUrl)
      if (parts === null) return false
      const proof = sha256(`${parts.publicId} ${parts.secret}`)
      if (!known.has(proof)) {
        const { allowed, policy, waitSec } = yield* flood.take(
          { name: "metrics", limit: addressReadsPerMinuteMax, windowSec: 60 },
          yield* ClientAddress
        )
        if (!allowed)
          return yield* new RateLimited({
            detail: `Too many unknown credentials from your address: ${policy.limit} in ${policy.windowSec} s.`,
            retryAfterSec: waitSec
          })
      }
      const isGood = (yield* operatorOf(request)) !== null
      known.delete(proof)
      if (isGood) known.add(proof)
      if (known.size > operatorsRememberedMax) known.delete(known.values().next().value!)
      return isGood
    })

    yield* router.add(
      "GET",
      "/metrics",
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const token = (request.headers["authorization"] ?? "").replace(/^Bearer\s+/i, "")
        const allowed =
          (isLocalOnly && request.headers["x-forwarded-for"] === undefined) ||
          (config.metricsToken !== null && isSecret(token, sha256(config.metricsToken))) ||
          (yield* isOperator(request))
        if (!allowed)
          return yield* new OperatorRequired({
            detail:
              "Send METRICS_TOKEN or an operator's token as Authorization: Bearer. Without one, metrics are open only if HOST and PUBLIC_URL name this machine alone."
          })
        yield* (yield* EventBus).measure
        yield* measureAir
        yield* measureProcess
        return HttpServerResponse.text(yield* renderMetrics, { contentType: "text/plain; version=0.0.4" })
      })
    )
  })
)

const health = HttpRouter.add("GET", "/healthz", HttpServerResponse.jsonUnsafe({ ok: true }))

/** Routes that need no services to answer. */
export const Probes = Layer.mergeAll(health, ready)
