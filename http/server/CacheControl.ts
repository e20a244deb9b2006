import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { hash } from "node:crypto"
import { remember } from "./remember.ts"

/** Cache times of public reads in seconds: the nearer to the air, the shorter. */
const ages: ReadonlyArray<readonly [RegExp, number]> = [
  [/^\/api\/(now-playing|station(\/(now-playing|queue|chat))?)$/, 1],
  [/^\/api\/station\/schedule$/, 30],
  [/^\/api\/v1\/catalog\//, 300],
  [/^\/api\/v1\/(legal|feedback\/reasons)$/, 3_600],
  [/^\/\.well-known\/oauth-/, 3_600],
  // Short, so that clients act on current data.
  [/^\/(\.well-known\/|[a-z]+\.(md|txt|svg)$)/, 300]
]

const defaultAgeSec = 5

const ageOf = remember((path) => ages.find(([pattern]) => pattern.test(path))?.[1] ?? defaultAgeSec)

/** API description and guides. */
const isKept = /^\/(api\/|\.well-known\/|[a-z]+\.(md|txt|svg)$)/

/** Adds a weak ETag and a max-age to public reads, and answers 304 to matching requests. Answers to credentials are never cached. */
export const addCacheHeaders = (
  request: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse
): HttpServerResponse.HttpServerResponse => {
  const isRead = request.method === "GET" || request.method === "HEAD"
  if (
    !isRead ||
    response.status !== 200 ||
    response.headers["cache-control"] !== undefined ||
    response.body._tag !== "Uint8Array"
  )
    return response
  const path = request.url.split("?")[0]!
  if (request.headers["authorization"] !== undefined || !isKept.test(path) || path.startsWith("/api/ops/"))
    return response
  const ageSec = ageOf(path)
  const etag = `W/"${hash("sha256", response.body.body, "base64url").slice(0, 22)}"`
  const headers = { etag, "cache-control": `public, max-age=${ageSec}` }
  const known = (request.headers["if-none-match"] ?? "").split(",").map((tag) => tag.trim())
  return known.includes(etag) || known.includes("*")
    ? HttpServerResponse.empty({ status: 304, headers })
    : HttpServerResponse.setHeaders(response, headers)
}
