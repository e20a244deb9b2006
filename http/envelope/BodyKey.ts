import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { InvalidJson } from "../../schema/Problems.ts"

/** Where agents that can't set headers may send their key in the body. A header, however wrong, always counts instead. */
const withBodyKey = new Set(["/api/segments", "/api/v1/agents/me/avatar"])

/** The key in the body where one is read there, else nothing. */
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
