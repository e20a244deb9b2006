import { Clock, Context, Effect, Exit, Fiber, Layer, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { StationConfig } from "../../engine/runtime/Config.ts"
import {
  operatorPatienceMs,
  operatorSeenEveryMs,
  operatorsRememberedMax
} from "../../engine/rules/operations/limits.ts"
import { type OperatorCredential, Operators } from "../../engine/store/operations/Operators.ts"
import { OperatorDesk } from "../../actors/operations/protocol/Operators.ts"
import { operatorRank } from "../../schema/operations/Operator.ts"
import { Forbidden, OperatorRequired } from "../../schema/Problems.ts"
import { CurrentOperator, OperatorAuth, RequiredRole } from "../api/auth/Authorization.ts"
import { Caller } from "../api/Idempotent.ts"
import { operatorKeyOf, isProven } from "./OperatorOf.ts"
import { isSameOrigin } from "./SameOrigin.ts"
import { sendLater } from "../../actors/runtime/protocol.ts"

export const OperatorAuthLive = Layer.effect(
  OperatorAuth,
  Effect.gen(function* () {
    const operators = yield* Operators
    const { publicUrl, stationSlug } = yield* StationConfig
    const desk = (yield* OperatorDesk.client)(stationSlug)
    const remembered = new Map<string, OperatorCredential>()

    /**
     * Operators authenticated earlier stay admitted while the store is unavailable or slow, because an emergency must
     * not wait for a database.
     */
    const findKnown = Effect.fnUntraced(function* (publicId: string, ask: Effect.Effect<OperatorCredential | null>) {
      const before = remembered.get(publicId)
      const asked = Effect.tap(ask, (found) =>
        Effect.sync(() => {
          remembered.delete(publicId)
          if (found !== null && !found.revoked) remembered.set(publicId, found)
          if (remembered.size > operatorsRememberedMax) remembered.delete(remembered.keys().next().value!)
        })
      )
      if (before === undefined) return yield* asked
      const answer = yield* Fiber.await(yield* Effect.forkDetach(asked)).pipe(Effect.timeoutOption(operatorPatienceMs))
      return Option.isSome(answer) && Exit.isSuccess(answer.value) ? answer.value.value : before
    })

    const seenAtMs = new Map<string, number>()
    const noteSeen = Effect.fnUntraced(function* (publicId: string, nowMs: number) {
      if (nowMs - (seenAtMs.get(publicId) ?? 0) < operatorSeenEveryMs) return
      seenAtMs.delete(publicId)
      seenAtMs.set(publicId, nowMs)
      if (seenAtMs.size > operatorsRememberedMax) seenAtMs.delete(seenAtMs.keys().next().value!)
      yield* sendLater(desk.OperatorSeen({ publicId, atMs: nowMs }))
    })

    const guard = Effect.fnUntraced(function* <A, E, R>(
      httpEffect: Effect.Effect<A, E, R>,
      { endpoint }: { readonly endpoint: HttpApiEndpoint.Top }
    ) {
      const request = yield* HttpServerRequest.HttpServerRequest
      const nowMs = yield* Clock.currentTimeMillis
      const { bySession, parts } = operatorKeyOf(request, publicUrl)
      const findByPublicId = (publicId: string) =>
        findKnown(
          publicId,
          bySession
            ? Effect.flatMap(Clock.currentTimeMillis, (atMs) => operators.session(publicId, atMs))
            : operators.token(publicId)
        )
      const found = parts === null ? null : yield* findByPublicId(parts.publicId)
      if (parts === null || !isProven(found, parts.secret)) {
        return yield* new OperatorRequired({
          detail: bySession
            ? "The session has ended. Sign in with a new link."
            : "Send an operator's token as Authorization: Bearer svc_ops_… ."
        })
      }
      if (bySession && !isSameOrigin(request, publicUrl))
        return yield* new Forbidden({
          detail: `With a session, changes are only taken from the station's own pages: open them at ${publicUrl}, or set PUBLIC_URL to the address that you use.`
        })
      const required = Context.get(endpoint.annotations, RequiredRole)
      if (operatorRank[found.role] < operatorRank[required])
        return yield* new Forbidden({ detail: `This needs the role ${required}; yours is ${found.role}.` })
      yield* noteSeen(found.publicId, nowMs)
      return yield* httpEffect.pipe(
        Effect.provideService(CurrentOperator, {
          name: found.name,
          role: found.role,
          sessionId: bySession ? found.publicId : null,
          isCurrent: Effect.map(
            findByPublicId(found.publicId),
            (now) => isProven(now, parts.secret) && now.role === found.role
          )
        }),
        Effect.provideService(Caller, `operator:${found.publicId}`)
      )
    })
    // Both schemes read the whole request, so the order of evaluation doesn't matter.
    return OperatorAuth.of({ operatorToken: guard, operatorSession: guard })
  })
)
