import { Clock, Effect, Layer, Result } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { isDue } from "../../engine/runtime/ListenerToken.ts"
import { Keys } from "../../engine/runtime/Keys.ts"
import { leftOf, meterOf, refusalOf, spendOne } from "../../engine/rules/allowance/Allowance.ts"
import { listenerMintsPerHour } from "../../engine/rules/listeners/limits.ts"
import { callChecks, messageAllowance } from "../../engine/rules/listeners/Message.ts"
import { Meters } from "../../engine/store/sql/Meters.ts"
import { ListenerTokenRequired, RateLimited } from "../../schema/Problems.ts"
import { Audiences, CallsLeft, CurrentAudience, CurrentListener, ListenerAuth, Mints } from "../api/auth/Audience.ts"
import { ClientAddress } from "../api/Client.ts"
import { countQuotas } from "../api/Counted.ts"
import { Caller } from "../api/Idempotent.ts"
import { Flood } from "../envelope/Flood.ts"
import { makeHumanGate } from "./HumanGate.ts"
import { makeListenerGate } from "./ListenerGate.ts"
import { isForeignPage } from "./SameOrigin.ts"

export const tokenNeeded = new ListenerTokenRequired({
  detail:
    "POST /api/listeners/session gives you a token. Send it as Authorization: Bearer, as x-listener-token, or as the cookie that came with it."
})

/** Answers differ by listener, so caches must not store them. */
const forbidCaching = <E, R>(response: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.map(response, (answer) =>
    answer.headers["cache-control"] === undefined
      ? HttpServerResponse.setHeader(answer, "cache-control", "private, no-store")
      : answer
  )

/** Identifies guests by a keyed hash of their address, which others can't compute. */
const addressHashOf = (keys: Keys["Service"]) =>
  Effect.map(ClientAddress, (address) => keys.hmac("guest-address", address))

/** The listener of a request, as handlers get it. */
export const listenerOf = Effect.fnUntraced(function* (
  shown: Effect.Success<typeof makeListenerGate>,
  keys: Keys["Service"],
  request: HttpServerRequest.HttpServerRequest
) {
  const { listener } = yield* shown(request)
  return listener === null
    ? null
    : { listenerId: listener.id, human: listener.human, addressHash: yield* addressHashOf(keys) }
})

export const ListenerAuthLive = Layer.effect(
  ListenerAuth,
  Effect.gen(function* () {
    const shown = yield* makeListenerGate
    const keys = yield* Keys
    return ListenerAuth.of(
      Effect.fnUntraced(function* (httpEffect) {
        const listener = yield* listenerOf(shown, keys, yield* HttpServerRequest.HttpServerRequest)
        return listener === null
          ? yield* tokenNeeded
          : yield* forbidCaching(httpEffect).pipe(
              Effect.provideService(CurrentListener, listener),
              Effect.provideService(Caller, `listener:${listener.listenerId}`)
            )
      })
    )
  })
)

const makeAudience = Effect.fnUntraced(function* (
  changesNothing?: Parameters<Effect.Success<typeof makeListenerGate>>[1]
) {
  const shown = yield* makeListenerGate
  const keys = yield* Keys
  const { publicUrl } = yield* StationConfig
  return Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { listener, token } = yield* shown(request, changesNothing)
    const addressHash = yield* addressHashOf(keys)
    return {
      listenerId: listener?.id ?? null,
      human: listener?.human ?? null,
      addressHash,
      token,
      audience: listener?.human?.id ?? `guest_${addressHash}`,
      mayKeepCookie: !isForeignPage(request, publicUrl),
      session: null
    }
  })
})

/** Guests are identified by address. */
const callerOf = ({ listenerId }: CurrentAudience["Service"]) => (listenerId === null ? null : `listener:${listenerId}`)

export const AudiencesLive = Layer.effect(
  Audiences,
  Effect.gen(function* () {
    const audience = yield* makeAudience()
    return Audiences.of(
      Effect.fnUntraced(function* (httpEffect) {
        const current = yield* audience
        return yield* forbidCaching(httpEffect).pipe(
          Effect.provideService(CurrentAudience, current),
          Effect.provideService(Caller, callerOf(current))
        )
      })
    )
  })
)

export const CallsLeftLive = Layer.effect(
  CallsLeft,
  Effect.gen(function* () {
    const meters = yield* Meters
    return CallsLeft.of(
      Effect.fnUntraced(function* (httpEffect) {
        const { audience, human } = yield* CurrentAudience
        const { headers } = yield* HttpServerRequest.HttpServerRequest
        // A repeated command gets its stored answer even if the allowance is used up.
        if (headers["idempotency-key"] === undefined) {
          const allowances = [messageAllowance("call_ins", human === null), callChecks]
          const found = yield* meters.read(allowances.map((allowance) => meterOf(allowance, audience)))
          const nowMs = yield* Clock.currentTimeMillis
          for (const [index, allowance] of allowances.entries())
            yield* Effect.fromResult(
              Result.mapError(spendOne(allowance, found[index]!, nowMs), refusalOf("listener"))
            ).pipe(Effect.tapError(() => countQuotas(leftOf(allowances[0]!, found[0]!, nowMs))))
        }
        return yield* httpEffect
      })
    )
  })
)

export const MintsLive = Layer.effect(
  Mints,
  Effect.gen(function* () {
    // A session that is shown again is the same session until its token is due for renewal.
    const audience = yield* makeAudience((token, nowMs) => !isDue(token, nowMs))
    const flood = yield* Flood
    const shownHuman = yield* makeHumanGate
    return Mints.of(
      Effect.fnUntraced(function* (httpEffect) {
        const human = yield* shownHuman(yield* HttpServerRequest.HttpServerRequest)
        const current = {
          ...(yield* audience),
          session: human === null ? null : { id: human.id, displayName: human.displayName }
        }
        if (current.listenerId === null) {
          const { allowed, policy, waitSec } = yield* flood.take(
            { name: "listeners", limit: listenerMintsPerHour, windowSec: 3_600 },
            yield* ClientAddress
          )
          if (!allowed)
            return yield* new RateLimited({
              detail: `Your address may open ${policy.limit} listener sessions an hour. Keep the token that you have.`,
              retryAfterSec: waitSec
            })
        }
        return yield* Effect.provideService(forbidCaching(httpEffect), CurrentAudience, current)
      })
    )
  })
)

/** Services that tell listeners from guests, for main and tests. */
export const AudienceGuards = Layer.mergeAll(ListenerAuthLive, AudiencesLive, CallsLeftLive, MintsLive)
