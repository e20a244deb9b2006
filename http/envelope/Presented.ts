import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { listenerCookies } from "../api/auth/Audience.ts"
import { humanCookies, sessionCookie } from "../api/auth/SessionCookie.ts"
import { bodyKey } from "./BodyKey.ts"

/** Whether a credential came with the request, wherever it may stand: a refusal then says that it is no good, not that one is missing. */
export const isPresented = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<boolean> =>
  ["authorization", "x-app-key", "x-listener-token"].some((header) => request.headers[header] !== undefined) ||
  [sessionCookie, ...humanCookies, ...listenerCookies].some((cookie) => request.cookies[cookie] !== undefined)
    ? Effect.succeed(true)
    : Effect.match(bodyKey(request), { onSuccess: (key) => key !== "", onFailure: () => false })
