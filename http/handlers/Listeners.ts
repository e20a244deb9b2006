import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Audience } from "../../actors/protocol/Audience.ts"
import { StationFacts } from "../../engine/store/StationFacts.ts"
import { Api } from "../api/Api.ts"
import { CurrentAudience, listenerCookie } from "../api/Audience.ts"
import { isDry } from "../api/Inputs.ts"
import { send } from "../Send.ts"
import { wouldBe } from "./Commands.ts"

/** The answer, and its token as a cookie as well: out of reach for scripts, and sent along by nobody's page but ours. */
export const withCookie = (answer: { readonly listenerToken: string }, expiresAtMs: number, publicUrl: string) =>
  HttpServerResponse.setCookieUnsafe(HttpServerResponse.jsonUnsafe(answer), listenerCookie(publicUrl), answer.listenerToken, {
    path: "/", httpOnly: true, sameSite: "lax", secure: publicUrl.startsWith("https://"), expires: new Date(expiresAtMs)
  })

export const ListenerSessionsHandlers = HttpApiBuilder.group(Api, "listenerSessions", Effect.fn(function*(handlers) {
  const audience = yield* Audience.client
  const { publicUrl } = yield* StationFacts
  return handlers.handleAll({
    session: Effect.fn("listenerSession")(function*({ query }) {
      const { audience: whose, human: linked, listenerId: known, mayKeepCookie, session, token: text } = yield* CurrentAudience
      const shown = known === null || text === null ? null : { listenerId: known, ...text }
      const human = shown === null ? session : linked
      const { expiresAtMs, listenerId, token } = yield* send(audience(known ?? whose).OpenSession({ shown, humanId: session?.id ?? null, dryRun: isDry(query) }))
      const opened = { listenerId, expiresAt: new Date(expiresAtMs).toISOString(), signedIn: human !== null, displayName: human?.displayName ?? null }
      if (isDry(query)) return wouldBe(opened, 200)
      return mayKeepCookie ? withCookie({ ...opened, listenerToken: token }, expiresAtMs, publicUrl) : { ...opened, listenerToken: token }
    })
  })
}))
