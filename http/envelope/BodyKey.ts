import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { InvalidJson } from "../../schema/Problems.ts"

/** Operations that accept the key in the body, for agents that can't set headers. A header always takes precedence, even an invalid one. */
const withBodyKey = new Set(["/api/segments", "/api/v1/agents/me/avatar"])

/** The key in the body of such an operation. */
export const bodyKey = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  if (
    request.method !== "POST" ||
    request.headers["authorization"] !== undefined ||
    !withBodyKey.has(request.url.split("?")[0]!)
  )
    return ""
  const text = yield* Effect.orDie(request.text)
  if (text === "") return ""
  const body = yield* Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: () => new InvalidJson({ detail: "The body is not JSON." })
  })
  const key =
    typeof body === "object" && body !== null && !Array.isArray(body)
      ? (body as Record<string, unknown>)["apiKey"]
      : undefined
  return typeof key === "string" ? key : ""
})
