import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerRespondable, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import { Bus } from "../actors/Bus.ts"
import { StationConfig } from "../engine/Config.ts"
import { Air } from "../engine/ports/Air.ts"
import { isOnAir } from "../engine/rules/StationSnapshots.ts"
import { isSecret, sha256 } from "../engine/Secrets.ts"
import { OperatorRequired } from "../schema/Problems.ts"
import { operatorOf } from "./OperatorOf.ts"

const isLoopback = (address: string | undefined): boolean => address !== undefined && /^(::1|127\.|::ffff:127\.)/.test(address)

/** Whether the API can answer, which takes a store, and the air chain is up: asked of itself, for who would tell may have fallen too. */
const ready = HttpRouter.add("GET", "/readyz", Effect.gen(function*() {
  const air = isOnAir(yield* (yield* Air).status)
  const api = (yield* (yield* Bus).get("store")) ?? true
  return HttpServerResponse.jsonUnsafe({ ready: api && air, checks: { api, air } }, { status: api && air ? 200 : 503 })
}))

/** For scrapers on this machine, with the metrics token, or with an operator's. */
const metrics = HttpRouter.add("GET", "/metrics", Effect.gen(function*() {
  const config = yield* StationConfig
  const request = yield* HttpServerRequest.HttpServerRequest
  const token = (request.headers["authorization"] ?? "").replace(/^Bearer\s+/i, "")
  const socket = (request.source as { readonly socket?: { readonly remoteAddress?: string } }).socket
  const allowed = (isLoopback(socket?.remoteAddress) && request.headers["x-forwarded-for"] === undefined) ||
    (config.metricsToken !== null && isSecret(token, sha256(config.metricsToken))) ||
    (yield* operatorOf(request)) !== null
  if (!allowed) return yield* HttpServerRespondable.toResponse(new OperatorRequired({ detail: "From elsewhere, metrics need METRICS_TOKEN or an operator's token as Bearer." }))
  yield* (yield* Bus).measure
  return HttpServerResponse.text(yield* PrometheusMetrics.format(), { contentType: "text/plain; version=0.0.4" })
}))

const health = HttpRouter.add("GET", "/healthz", HttpServerResponse.jsonUnsafe({ ok: true }))

export const SystemRoutes = [health, ready, metrics] as const
