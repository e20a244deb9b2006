import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { listenerCookies } from "../api/auth/Audience.ts"
import { humanCookies, plainSessionCookie, sessionCookie } from "../api/auth/SessionCookie.ts"
import { bodyKey } from "./BodyKey.ts"

/** Whether the request has a credential anywhere. A refusal then says that it is invalid rather than missing. */
export const isPresented = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<boolean> =>
  ["authorization", "x-app-key", "x-listener-token"].some((header) => request.headers[header] !== undefined) ||
  [sessionCookie, plainSessionCookie, ...humanCookies, ...listenerCookies].some(
    (cookie) => request.cookies[cookie] !== undefined
  )
    ? Effect.succeed(true)
    : Effect.match(bodyKey(request), { onSuccess: (key) => key !== "", onFailure: () => false })
