import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { OperatorDesk } from "../../../actors/operations/protocol/Operators.ts"
import { operatorsListMax } from "../../../engine/rules/agents/limits.ts"
import { operatorSessionHours } from "../../../engine/rules/operations/limits.ts"
import { type OperatorRecord, Operators, type OperatorToken } from "../../../engine/store/operations/Operators.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import { OperatorTokenView, OperatorView, scopeOf } from "../../../schema/operations/Operator.ts"
import { MissingFields } from "../../../schema/Problems.ts"
import { CurrentOperator } from "../../api/auth/Authorization.ts"
import { OpsApi } from "../../api/OpsApi.ts"
import { withOperatorSession } from "../../api/auth/SessionCookie.ts"
import { signInUrl } from "../../api/auth/SignInUrl.ts"
import { send } from "../../Send.ts"
import { isoOrNull } from "../../../schema/time/Instant.ts"

const operatorView = ({ createdAtMs, id, lastSeenAtMs, name, role, secondFactor }: OperatorRecord) =>
  OperatorView.make({
    id,
    name,
    role,
    secondFactor,
    createdAt: isoOrNull(createdAtMs)!,
    lastSeenAt: isoOrNull(lastSeenAtMs)
  })

const tokenView = ({ createdAtMs, lastUsedAtMs, name, publicId, revokedAtMs, role }: OperatorToken) =>
  OperatorTokenView.make({
    id: publicId,
    prefix: `svc_ops_${publicId}`,
    name,
    scope: scopeOf(role),
    createdAt: isoOrNull(createdAtMs)!,
    lastUsedAt: isoOrNull(lastUsedAtMs),
    revokedAt: isoOrNull(revokedAtMs)
  })

const actOf = Effect.fnUntraced(function* (reason: string | null | undefined) {
  return { actor: (yield* CurrentOperator).name, reason: reason ?? null }
})

const nothingToChange = new MissingFields({
  detail: "Send at least one of role, email and newLink.",
  errors: [{ pointer: "/role", code: "MISSING_FIELDS", detail: "role, email or newLink is required" }]
})

export const SignInHandlers = HttpApiBuilder.group(
  OpsApi,
  "signIn",
  Effect.fnUntraced(function* (handlers) {
    const { publicUrl, slug } = yield* StationFacts
    const desk = (yield* OperatorDesk.client)(slug)
    return handlers.handleAll({
      signIn: Effect.fnUntraced(function* ({ payload }) {
        const { expiresAt, operator, session } = yield* send(
          desk.SignIn({ token: payload.token, code: payload.code ?? null })
        )
        return withOperatorSession(
          HttpServerResponse.jsonUnsafe({ operator, expiresAt }),
          publicUrl,
          session,
          operatorSessionHours
        )
      })
    })
  })
)

export const SecondFactorHandlers = HttpApiBuilder.group(
  OpsApi,
  "secondFactor",
  Effect.fnUntraced(function* (handlers) {
    const desk = (yield* OperatorDesk.client)((yield* StationFacts).slug)
    const sessionId = Effect.map(CurrentOperator, (operator) => operator.sessionId)
    return handlers.handleAll({
      begin: Effect.fnUntraced(function* () {
        return yield* send(desk.BeginSecondFactor({ sessionId: yield* sessionId }))
      }),
      confirm: Effect.fnUntraced(function* ({ payload: { code } }) {
        return yield* send(desk.ConfirmSecondFactor({ sessionId: yield* sessionId, code }))
      }),
      remove: Effect.fnUntraced(function* ({ payload: { code } }) {
        return yield* send(desk.RemoveSecondFactor({ sessionId: yield* sessionId, code }))
      })
    })
  })
)

export const OperatorsHandlers = HttpApiBuilder.group(
  OpsApi,
  "operators",
  Effect.fnUntraced(function* (handlers) {
    const { publicUrl, slug } = yield* StationFacts
    const desk = (yield* OperatorDesk.client)(slug)
    return handlers.handleAll({
      me: Effect.fnUntraced(function* () {
        const { name, role, sessionId } = yield* CurrentOperator
        const own = sessionId === null ? null : yield* (yield* Operators).findBySession(sessionId)
        return { operator: { name, role, secondFactor: own === null ? null : own.secondFactor } }
      }),
      signOut: Effect.fnUntraced(function* () {
        const { name, sessionId } = yield* CurrentOperator
        if (sessionId !== null) yield* send(desk.SignOut({ sessionId, actor: name }))
        return withOperatorSession(HttpServerResponse.jsonUnsafe({ signedOut: sessionId !== null }), publicUrl, "", 0)
      }),
      operators: () =>
        Effect.flatMap(Operators, (operators) =>
          Effect.map(operators.list(operatorsListMax), (found) => ({ operators: found.map(operatorView) }))
        ),
      addOperator: Effect.fnUntraced(function* ({ payload: { email = null, name, reason, role } }) {
        const added = yield* send(desk.AddOperator({ name, role, email, ...(yield* actOf(reason)) }))
        return { ...added, signInUrl: signInUrl(publicUrl, added.signInToken) }
      }),
      changeOperator: Effect.fnUntraced(function* ({ params, payload: { email, newLink = false, reason, role } }) {
        if (role === undefined && email === undefined && !newLink) return yield* nothingToChange
        const changed = yield* send(
          desk.ChangeOperator({
            id: params.id,
            role: role ?? null,
            ...(email === undefined ? {} : { email }),
            newLink,
            ...(yield* actOf(reason))
          })
        )
        return {
          ...changed,
          signInUrl: changed.signInToken === null ? null : signInUrl(publicUrl, changed.signInToken)
        }
      }),
      removeOperator: Effect.fnUntraced(function* ({ params, query }) {
        return { operator: yield* send(desk.RemoveOperator({ id: params.id, ...(yield* actOf(query.reason)) })) }
      }),
      tokens: () =>
        Effect.flatMap(Operators, (operators) =>
          Effect.map(operators.tokens(operatorsListMax), (found) => ({ tokens: found.map(tokenView) }))
        ),
      makeToken: Effect.fnUntraced(function* ({ payload: { name, reason, scope } }) {
        return yield* send(desk.MakeToken({ name, scope, ...(yield* actOf(reason)) }))
      }),
      revokeToken: Effect.fnUntraced(function* ({ params, query }) {
        yield* send(desk.RevokeToken({ id: params.id, ...(yield* actOf(query.reason)) }))
        return { id: params.id, revoked: true as const }
      })
    })
  })
)
