import { Clock, Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { isSecret, splitKey } from "../../engine/runtime/Secrets.ts"
import { type OperatorCredential, Operators } from "../../engine/store/operations/Operators.ts"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { operatorCookies } from "../api/auth/SessionCookie.ts"

/** An operator's credential: the token in the header, or else the session cookie. */
export const operatorKeyOf = ({ cookies, headers }: HttpServerRequest.HttpServerRequest, publicUrl: string) => {
  const header = headers["authorization"]
  const cookie = operatorCookies(publicUrl)
    .map((name) => cookies[name])
    .find((value) => value !== undefined)
  return header === undefined && cookie !== undefined
    ? { bySession: true, parts: splitKey("ops_session_", cookie) }
    : { bySession: false, parts: splitKey("svc_ops_", (header ?? "").replace(/^Bearer\s+/i, "")) }
}

export const isProven = (found: OperatorCredential | null, secret: string): found is OperatorCredential =>
  found !== null && !found.revoked && isSecret(secret, found.secretSha256)

/** The operator of a request, or null. For routes outside the declared API: sounds, metrics. */
export const operatorOf = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  const { bySession, parts } = operatorKeyOf(request, (yield* StationConfig).publicUrl)
  if (parts === null) return null
  const operators = yield* Operators
  const found = yield* bySession
    ? operators.session(parts.publicId, yield* Clock.currentTimeMillis)
    : operators.token(parts.publicId)
  return isProven(found, parts.secret) ? found : null
})
