import type { HttpServerRequest } from "effect/http"

/** A cookie comes along by itself, so what it allows must have been asked for by a page of our own. */
export const isSameOrigin = (request: HttpServerRequest.HttpServerRequest, publicUrl: string): boolean => {
  if (request.method === "GET" || request.method === "HEAD") return true
  const { origin, "sec-fetch-site": site } = request.headers
  // Browsers say the first truthfully, by whichever name they reached the station; without TLS they only say the second.
  return site === undefined ? origin === new URL(publicUrl).origin : site === "same-origin"
}

/** Sent by a browser for a page of somebody else's. */
export const isForeignPage = (request: HttpServerRequest.HttpServerRequest, publicUrl: string): boolean => {
  const { origin, "sec-fetch-site": site } = request.headers
  return (origin !== undefined || site !== undefined) && !isSameOrigin(request, publicUrl)
}
