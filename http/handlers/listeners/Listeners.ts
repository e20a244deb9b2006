import { Clock, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Audience } from "../../../actors/listeners/protocol/Audience.ts"
import { listenerEngages, reactions } from "../../../engine/rules/social/Engagement.ts"
import { utcDay } from "../../../engine/rules/allowance/Meter.ts"
import { voteActions } from "../../../engine/rules/music/TrackVote.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import { notOneOf } from "../../../schema/Problem.ts"
import { InvalidAction, MissingFields } from "../../../schema/Problems.ts"
import { Api } from "../../api/Api.ts"
import { CurrentAudience, CurrentHuman, CurrentListener, listenerCookie } from "../../api/auth/Audience.ts"
import { isDry } from "../../api/Inputs.ts"
import { send } from "../../Send.ts"
import { previewAnswer } from "../Commands.ts"
import { streaksOf } from "./Streaks.ts"
import { readAllowances, answerWithQuotas } from "../Quotas.ts"

/** The answer, with its token also as a cookie that scripts can't read and other sites can't send. */
const withCookie = (answer: { readonly listenerToken: string }, expiresAtMs: number, publicUrl: string) =>
  HttpServerResponse.setCookieUnsafe(
    HttpServerResponse.jsonUnsafe(answer),
    listenerCookie(publicUrl),
    answer.listenerToken,
    {
      path: "/",
      httpOnly: true,
      sameSite: "lax",
      secure: publicUrl.startsWith("https://"),
      expires: new Date(expiresAtMs)
    }
  )
export const ListenerSessionsHandlers = HttpApiBuilder.group(
  Api,
  "listenerSessions",
  Effect.fnUntraced(function* (handlers) {
    const audience = yield* Audience.client
    const { publicUrl } = yield* StationFacts
    return handlers.handleAll({
      session: Effect.fnUntraced(function* ({ query }) {
        const {
          audience: whose,
          human: linked,
          listenerId: known,
          mayKeepCookie,
          session,
          token: text
        } = yield* CurrentAudience
        const shown = known === null || text === null ? null : { listenerId: known, ...text }
        const human = shown === null ? session : linked
        const { expiresAtMs, listenerId, token } = yield* send(
          audience(known ?? whose).OpenSession({ shown, humanId: session?.id ?? null })
        )
        const opened = {
          listenerId,
          expiresAt: new Date(expiresAtMs).toISOString(),
          signedIn: human !== null,
          displayName: human?.displayName ?? null,
          claimableBy: human === null ? (session?.displayName ?? null) : null
        }
        if (isDry(query)) return previewAnswer(opened, 200)
        return mayKeepCookie
          ? withCookie({ ...opened, listenerToken: token }, expiresAtMs, publicUrl)
          : { ...opened, listenerToken: token }
      })
    })
  })
)
export const ListenerClaimsHandlers = HttpApiBuilder.group(
  Api,
  "listenerClaims",
  Effect.fnUntraced(function* (handlers) {
    const audience = yield* Audience.client
    const { publicUrl } = yield* StationFacts
    return handlers.handleAll({
      claim: Effect.fnUntraced(function* ({ payload, query }) {
        const detail = "must be true: what the listener did becomes part of the account"
        if (payload.consentGiven !== true)
          return yield* new MissingFields({
            detail: `/consentGiven ${detail}.`,
            errors: [{ pointer: "/consentGiven", code: "MISSING_FIELDS", detail }]
          })
        const human = yield* CurrentHuman
        const { expiresAtMs, listenerId, token } = yield* send(
          audience(human.id).Claim({
            listenerId: payload.listenerId,
            token: payload.listenerToken,
            humanId: human.id
          })
        )
        const claimed = { listenerId, linked: true as const, displayName: human.displayName }
        return isDry(query)
          ? previewAnswer(claimed, 200)
          : withCookie({ ...claimed, listenerToken: token }, expiresAtMs, publicUrl)
      })
    })
  })
)
export const ListenersHandlers = HttpApiBuilder.group(
  Api,
  "listeners",
  Effect.fnUntraced(function* (handlers) {
    const audience = yield* Audience.client
    return handlers.handleAll({
      streaks: Effect.fnUntraced(function* () {
        const { human, listenerId } = yield* CurrentListener
        return yield* streaksOf(listenerId, human?.id ?? listenerId, utcDay(yield* Clock.currentTimeMillis))
      }),
      engage: Effect.fnUntraced(function* ({ payload: { kind, subject = null, value = null }, query }) {
        const { human, listenerId } = yield* CurrentListener
        const who = human?.id ?? listenerId
        const engaged = send(audience(who).Engage({ listenerId, kind, subject, value }))
        const answer = yield* kind === "listening"
          ? engaged
          : answerWithQuotas(readAllowances([kind === "reaction" ? reactions : listenerEngages], who))(engaged)
        return isDry(query) ? previewAnswer(answer, 200) : answer
      }),
      vote: Effect.fnUntraced(function* ({ params, payload, query }) {
        const { addressHash, human, listenerId } = yield* CurrentListener
        const action = voteActions.find((each) => each === payload.action)
        if (action === undefined)
          return yield* new InvalidAction({
            detail: `action is one of ${voteActions.join(", ")}.`,
            errors: [notOneOf("/action", "INVALID_ACTION", voteActions)]
          })
        const voted = yield* send(
          audience(human?.id ?? listenerId).VoteOnTrack({
            listenerId,
            trackId: params.id,
            action,
            reasonCode: payload.reasonCode ?? null,
            addressHash
          })
        )
        return isDry(query) ? previewAnswer({ ...voted, action }, 200) : { ...voted, action }
      })
    })
  })
)
