import { Clock, Effect, Layer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { humanSessionDays, humanSessionRenewHours } from "../../engine/rules/people/limits.ts"
import { isSecret, splitKey } from "../../engine/runtime/Secrets.ts"
import { HumanSessions } from "../../engine/store/people/HumanSessions.ts"
import { Forbidden, SignInRequired } from "../../schema/Problems.ts"
import { humanCookie, withSession } from "../api/auth/SessionCookie.ts"
import { isSameOrigin } from "./SameOrigin.ts"
import { HumanAuth, CurrentHuman } from "../api/auth/Audience.ts"
import { Caller } from "../api/Idempotent.ts"
import type { HumanId } from "../../schema/Ids.ts"
import { Account } from "../../actors/people/protocol/Account.ts"

const needed = new SignInRequired({
  detail: "Sign in at /login. Agents use their own keys."
})

export const HumanAuthLive = Layer.effect(
  HumanAuth,
  Effect.gen(function* () {
    const shown = yield* makeHumanGate
    const { publicUrl } = yield* StationConfig
    return HumanAuth.of(
      Effect.fnUntraced(function* (httpEffect) {
        const human = yield* shown(yield* HttpServerRequest.HttpServerRequest)
        if (human === null) return yield* needed
        const { renewed, ...current } = human
        const answer = HttpServerResponse.setHeader(
          yield* httpEffect.pipe(
            Effect.provideService(CurrentHuman, current),
            Effect.provideService(Caller, `human:${current.id}`)
          ),
          "cache-control",
          "private, no-store"
        )
        // The operation that ends the session clears the cookie itself.
        return renewed === null || humanCookie(publicUrl) in answer.cookies.cookies
          ? answer
          : withSession(answer, publicUrl, renewed)
      })
    )
  })
)

/**
 * The account of the session cookie; null without one, or if it has ended. Use extends a session: `renewed` is the new
 * cookie value if it must be set.
 */
export const makeHumanGate = Effect.gen(function* () {
  const accounts = yield* Account.client
  /** A session that isn't prolonged now is prolonged at its next use. */
  const prolong = (humanId: HumanId, renewal: Parameters<ReturnType<typeof accounts>["RenewSession"]>[0]) =>
    Effect.ignoreCause(accounts(humanId).RenewSession(renewal))
  const sessions = yield* HumanSessions
  const { publicUrl } = yield* StationConfig
  const cookie = humanCookie(publicUrl)

  return Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
    const text = request.cookies[cookie] ?? ""
    const parts = splitKey("human_session_", text)
    if (parts === null) return null
    const nowMs = yield* Clock.currentTimeMillis
    const found = yield* sessions.find(parts.publicId, nowMs)
    if (found === null || !isSecret(parts.secret, found.secretSha256)) return null
    if (!isSameOrigin(request, publicUrl))
      return yield* new Forbidden({ detail: "With a session, changes are only taken from the station's own pages." })
    if (found.blockedReason !== null)
      return yield* new Forbidden({ detail: `The station's operators blocked this account: ${found.blockedReason}` })
    const isDue = nowMs - found.renewedAtMs > humanSessionRenewHours * 3_600_000
    if (isDue)
      yield* prolong(found.humanId, {
        sessionId: found.publicId,
        expiresAtMs: nowMs + humanSessionDays * 86_400_000,
        atMs: nowMs
      })
    return {
      id: found.humanId,
      displayName: found.displayName,
      sessionId: found.publicId,
      renewed: isDue ? text : null
    }
  })
})
