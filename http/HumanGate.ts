import { Clock, Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { StationConfig } from "../engine/Config.ts"
import { humanSessionDays, humanSessionRenewHours } from "../engine/Limits.ts"
import { isSecret, splitKey } from "../engine/Secrets.ts"
import { HumanSessions } from "../engine/store/HumanSessions.ts"
import { Forbidden } from "../schema/Problems.ts"
import { humanCookie } from "./api/SessionCookie.ts"
import { isOwnPage } from "./OwnPage.ts"

/**
 * Whose session's cookie came with a request: nobody's where none did, or one that has ended. A session that is used goes on:
 * `renewed` is the cookie's value where it is to be set anew.
 */
export const makeHumanGate = Effect.gen(function*() {
  const sessions = yield* HumanSessions
  const { publicUrl } = yield* StationConfig
  const cookie = humanCookie(publicUrl)

  return Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest) {
    const text = request.cookies[cookie] ?? ""
    const parts = splitKey("human_session_", text)
    if (parts === null) return null
    const nowMs = yield* Clock.currentTimeMillis
    const found = yield* sessions.find(parts.publicId, nowMs)
    if (found === null || !isSecret(parts.secret, found.secretSha256)) return null
    if (!isOwnPage(request, publicUrl)) return yield* new Forbidden({ detail: "With a session, changes are only taken from the station's own pages." })
    if (found.blockedReason !== null) return yield* new Forbidden({ detail: `The station's people have shut this account out: ${found.blockedReason}` })
    const isDue = nowMs - found.renewedAtMs > humanSessionRenewHours * 3_600_000
    if (isDue) yield* sessions.renew(found.publicId, nowMs + humanSessionDays * 86_400_000, nowMs)
    return { id: found.humanId, displayName: found.displayName, sessionId: found.publicId, renewed: isDue ? text : null }
  })
})
