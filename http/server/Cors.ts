import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { capabilities } from "../api/Parts.ts"
import { remember } from "./remember.ts"
import { preflightSec } from "../../engine/rules/http/limits.ts"

const told = "x-request-id, ratelimit, ratelimit-policy, retry-after, idempotent-replayed, x-ignored-fields, etag"
const asked = "authorization, content-type, idempotency-key, if-match, if-none-match, x-listener-token, last-event-id"
const askedOfAll = "if-none-match, x-listener-token, last-event-id, cache-control"

/** Whether a read of this path always needs a credential. */
const makeNeedsCredential = (): ((path: string) => boolean) => {
  const parameter = /\{\w+\}/g
  // Fewer parameters first: `/api/v1/agents/me` is no handle.
  const reads = capabilities()
    .routes.filter(({ method }) => method === "GET")
    .map(({ auth, path }) => ({
      isPublic: auth.includes("public"),
      parameters: path.match(parameter)?.length ?? 0,
      pattern: new RegExp(`^${path.replaceAll(parameter, "[^/]+")}$`)
    }))
    .sort((one, other) => one.parameters - other.parameters)
  return remember(
    (path) =>
      path.startsWith("/api/") &&
      (/^\/api\/(ops|account)\//.test(path) || reads.find(({ pattern }) => pattern.test(path))?.isPublic === false)
  )
}

/**
 * Allows all origins to read public data without credentials, and the configured ones to do more. Answers to
 * credentials never have a wildcard.
 */
export const crossOrigin = (corsOrigins: string) => {
  const named = new Set(corsOrigins.split(",").filter((origin) => origin !== ""))
  const needsCredential = makeNeedsCredential()
  return (
    request: HttpServerRequest.HttpServerRequest,
    response: HttpServerResponse.HttpServerResponse
  ): HttpServerResponse.HttpServerResponse => {
    const origin = request.headers["origin"]
    if (origin !== undefined && named.has(origin)) {
      return HttpServerResponse.setHeaders(response, {
        "access-control-allow-origin": origin,
        "access-control-expose-headers": told,
        vary: [response.headers["vary"], "Origin"].filter((name) => name !== undefined).join(", "),
        ...(request.method === "OPTIONS"
          ? {
              "access-control-allow-methods": response.headers["allow"] ?? "",
              "access-control-allow-headers": asked,
              "access-control-max-age": String(preflightSec)
            }
          : {})
      })
    }
    const meant = request.method === "OPTIONS" ? request.headers["access-control-request-method"] : request.method
    const isPublicRead =
      (meant === "GET" || meant === "HEAD") &&
      request.headers["authorization"] === undefined &&
      !needsCredential(request.url.split("?")[0]!) &&
      response.status !== 401 &&
      response.status !== 403
    if (!isPublicRead) return response
    return HttpServerResponse.setHeaders(response, {
      "access-control-allow-origin": "*",
      "access-control-expose-headers": told,
      // Allowed headers of public reads; credentials are not among them.
      ...(request.method === "OPTIONS"
        ? {
            "access-control-allow-methods": "GET, HEAD",
            "access-control-allow-headers": askedOfAll,
            "access-control-max-age": String(preflightSec)
          }
        : {})
    })
  }
}
