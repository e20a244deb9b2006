import { Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { unknownPage } from "./ListenerPages.ts"
import { escapeHtml, plainPage } from "./PlainPage.ts"

/** Addresses for programs, which get the problem document even when a browser asks. */
const isForPrograms = (path: string): boolean => /^\/(api|media|live|assets|\.well-known)(\/|$|\.)/.test(path)

/**
 * A refusal as a page, where a browser asked for a page; every other answer as it is. `isKnown` says whether the station
 * has the address at all.
 */
export const showProblem = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse,
  isKnown: boolean
) {
  const path = request.url.split("?")[0]!
  if (
    response.status < 400 ||
    response.body._tag !== "Uint8Array" ||
    !(response.headers["content-type"] ?? "").includes("problem+json") ||
    !/\btext\/html\b/i.test(request.headers["accept"] ?? "") ||
    isForPrograms(path)
  )
    return response
  const { detail, requestId, title } = JSON.parse(new TextDecoder().decode(response.body.body)) as {
    readonly title: string
    readonly detail?: string
    readonly requestId: string
  }
  const { stationName } = yield* StationConfig
  const page =
    response.status === 404 && !isKnown
      ? yield* unknownPage(path)
      : plainPage(
          `${title} · ${stationName}`,
          `<main><h1>${escapeHtml(title)}</h1><p role="alert">${escapeHtml(detail ?? "")}</p><p><a href="/">${escapeHtml(stationName)}</a> · <a href="/contact">Contact</a></p><p class="note">Request ${escapeHtml(requestId)}</p></main>`,
          { status: response.status, cacheControl: "no-store" }
        )
  const { "content-type": _, "content-length": __, ...own } = response.headers
  return HttpServerResponse.setHeaders(page, { ...own, "cache-control": "no-store", vary: "accept" })
})
