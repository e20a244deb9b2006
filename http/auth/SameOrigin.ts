import type { HttpServerRequest } from "effect/http"

/** Browsers send cookies automatically, so writes with a cookie must come from the station's own pages. */
export const isSameOrigin = (request: HttpServerRequest.HttpServerRequest, publicUrl: string): boolean => {
  if (request.method === "GET" || request.method === "HEAD") return true
  const { origin, "sec-fetch-site": site } = request.headers
  // Browsers always send Sec-Fetch-Site over TLS; without TLS they only send Origin.
  return site === undefined ? origin === new URL(publicUrl).origin : site === "same-origin"
}

/** True for a request without Origin: programs send none, browsers send one with every write. */
const isWithoutPage = ({ headers: { origin, "sec-fetch-site": site } }: HttpServerRequest.HttpServerRequest): boolean =>
  origin === undefined && site === undefined

/** Sent by a browser for a page of another origin. */
export const isForeignPage = (request: HttpServerRequest.HttpServerRequest, publicUrl: string): boolean =>
  !isWithoutPage(request) && !isSameOrigin(request, publicUrl)
