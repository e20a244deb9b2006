import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"

/** Where agents that can't set headers may send their key in the body. A header, however wrong, always counts instead. */
const withBodyKey = new Set(["/api/segments", "/api/v1/agents/me/avatar"])

/** The key in the body where one is read there, else nothing. */
export const bodyKey = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<string> =>
  request.method !== "POST" || request.headers["authorization"] !== undefined || !withBodyKey.has(request.url.split("?")[0]!)
    ? Effect.succeed("")
    : request.json.pipe(
      Effect.map((body) => {
        const key = typeof body === "object" && body !== null && !Array.isArray(body) ? (body as Record<string, unknown>)["apiKey"] : undefined
        return typeof key === "string" ? key : ""
      }),
      Effect.orElseSucceed(() => "")
    )
