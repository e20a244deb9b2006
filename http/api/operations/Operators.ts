import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { operatorNameCharsMax, reasonCharsMax } from "../../../engine/rules/operations/limits.ts"
import { OperatorRole, OperatorScope, OperatorTokenView, OperatorView } from "../../../schema/operations/Operator.ts"
import {
  Busy,
  MissingFields,
  NotFound,
  OperatorConflict,
  OperatorRequired,
  RateLimited
} from "../../../schema/Problems.ts"
import { email } from "../agents/Agents.ts"
import { OperatorAuth, RequiredRole } from "../auth/Authorization.ts"
import { describe } from "../Described.ts"
import { OnRepeat } from "../Idempotent.ts"
import { anyText, requiredText, text } from "../Inputs.ts"
import { Reading } from "../RequestErrors.ts"
import { reason } from "../OperatorReason.ts"
import { idempotency } from "../segments/Segments.ts"

const address = email.check(Schema.makeFilter((value) => (value === "" ? "must be an e-mail address" : undefined)))
const name = requiredText(operatorNameCharsMax)
const leaving = { headers: idempotency, query: { reason: Schema.optionalKey(text(reasonCharsMax)) } }
const link = {
  operator: OperatorView,
  signInToken: Schema.String,
  signInUrl: Schema.String,
  expiresAt: Schema.String
}

/** What an authenticator app shows. */
const code = text(6).check(
  Schema.makeFilter((value) => (/^\d{6}$/.test(value) ? undefined : "must be the six digits of the authenticator app"))
)

/** Needs no credential: the one-time link is one. */
export const SignInApi = HttpApiGroup.make("signIn")
  .add(
    HttpApiEndpoint.post("signIn", "/api/ops/sign-in", {
      payload: Schema.Struct({ token: requiredText(100), code: Schema.optionalKey(code) }),
      success: Schema.Struct({ operator: OperatorView, expiresAt: Schema.String }),
      error: [OperatorRequired, RateLimited, Busy]
    })
      .annotateMerge(
        describe(
          "Sign in with a link",
          "Takes the token of a one-time link and opens a session of twelve hours in the cookie __Host-ops. An operator with a second factor sends the current code of the authenticator app too; without it the answer is 401 with /code in errors, and the link can still be used."
        )
      )
      .annotate(OnRepeat, "anew")
  )
  .middleware(Reading)
  .annotateMerge(OpenApi.annotations({ title: "Signing in", description: "From a one-time link to a session." }))

const withCode = {
  headers: idempotency,
  payload: Schema.Struct({ code }),
  success: Schema.Struct({ secondFactor: Schema.Boolean }),
  error: [OperatorConflict, OperatorRequired, RateLimited, Busy] as const
}

/** An operator's own authenticator app. */
export const SecondFactorApi = HttpApiGroup.make("secondFactor")
  .add(
    HttpApiEndpoint.post("begin", "/api/ops/me/totp", {
      headers: idempotency,
      success: Schema.Struct({ secret: Schema.String, uri: Schema.String }),
      error: [OperatorConflict, Busy]
    })
      .annotateMerge(
        describe(
          "Begin a second factor",
          "Makes a secret for an authenticator app (TOTP, RFC 6238: SHA-1, 6 digits, 30 s), which is shown once. It counts once its first code was confirmed. Only in a session: a token has no second factor."
        )
      )
      .annotate(OnRepeat, "secret"),
    HttpApiEndpoint.post("confirm", "/api/ops/me/totp/confirm", withCode).annotateMerge(
      describe(
        "Confirm a second factor",
        "Takes the first code of the authenticator app. From then on signing in asks for a code, at a link as at a provider. Ends your other sessions and links."
      )
    ),
    HttpApiEndpoint.post("remove", "/api/ops/me/totp/remove", withCode).annotateMerge(
      describe(
        "Remove a second factor",
        "Takes a current code. If the app is lost, `npm start -- operator reset NAME` on the station's host removes it."
      )
    )
  )
  .middleware(Reading)
  .middleware(OperatorAuth)
  .annotateMerge(OpenApi.annotations({ title: "Second factor", description: "An operator's authenticator app." }))

/** Operators and their credentials. */
export const OperatorsApi = HttpApiGroup.make("operators")
  .add(
    HttpApiEndpoint.get("me", "/api/ops/me", {
      success: Schema.Struct({
        operator: Schema.Struct({
          name: Schema.String,
          role: OperatorRole,
          secondFactor: Schema.NullOr(Schema.Boolean)
        })
      })
    }).annotateMerge(
      describe(
        "Read your operator record",
        "Your name, your role at the station, and whether you have a second factor; null for a token, which has none."
      )
    ),
    HttpApiEndpoint.post("signOut", "/api/ops/sign-out", {
      success: Schema.Struct({ signedOut: Schema.Boolean }),
      error: [Busy]
    }).annotateMerge(
      describe("Sign out", "Ends the session of the cookie. A token is not a session: it is revoked instead.")
    ),
    HttpApiEndpoint.get("operators", "/api/ops/operators", {
      success: Schema.Struct({ operators: Schema.Array(OperatorView) })
    })
      .annotate(RequiredRole, "admin")
      .annotateMerge(describe("List the operators", "The station's operators and their roles.")),
    HttpApiEndpoint.post("addOperator", "/api/ops/operators", {
      headers: idempotency,
      payload: Schema.Struct({ name, role: OperatorRole, email: Schema.optionalKey(address), reason }),
      success: Schema.Struct(link),
      error: [OperatorConflict, Busy]
    })
      .annotate(RequiredRole, "admin")
      .annotateMerge(
        describe(
          "Add an operator",
          "Returns a one-time link to the console and its token, once. With email, the person can also sign in at /login with a provider that verifies that address."
        )
      )
      .annotate(OnRepeat, "secret"),
    HttpApiEndpoint.patch("changeOperator", "/api/ops/operators/:id", {
      params: { id: anyText },
      headers: idempotency,
      payload: Schema.Struct({
        role: Schema.optionalKey(OperatorRole),
        email: Schema.optionalKey(Schema.NullOr(address)),
        newLink: Schema.optionalKey(Schema.Boolean),
        reason
      }),
      success: Schema.Struct({
        operator: OperatorView,
        signInToken: Schema.NullOr(Schema.String),
        signInUrl: Schema.NullOr(Schema.String),
        expiresAt: Schema.NullOr(Schema.String)
      }),
      error: [MissingFields, NotFound, OperatorConflict, Busy]
    })
      .annotate(RequiredRole, "admin")
      .annotateMerge(
        describe(
          "Change an operator",
          "Changes the role, also in open sessions, or returns a new link, which voids the previous one. email is the address with which the person may sign in at a provider; null removes it. The first sign-in ties it to that account at the provider; setting email again unties it."
        )
      )
      .annotate(OnRepeat, "secret"),
    HttpApiEndpoint.delete("removeOperator", "/api/ops/operators/:id", {
      params: { id: anyText },
      ...leaving,
      success: Schema.Struct({ operator: OperatorView }),
      error: [NotFound, OperatorConflict, Busy]
    })
      .annotate(RequiredRole, "admin")
      .annotateMerge(describe("Remove an operator", "Ends all sessions with it. The last admin can't be removed.")),
    HttpApiEndpoint.get("tokens", "/api/ops/tokens", {
      success: Schema.Struct({ tokens: Schema.Array(OperatorTokenView) })
    })
      .annotate(RequiredRole, "admin")
      .annotateMerge(describe("List the tokens", "Active and revoked tokens; never their secrets.")),
    HttpApiEndpoint.post("makeToken", "/api/ops/tokens", {
      headers: idempotency,
      payload: Schema.Struct({ name, scope: OperatorScope, reason }),
      success: Schema.Struct({ token: OperatorTokenView, secret: Schema.String }),
      error: [OperatorConflict, Busy]
    })
      .annotate(RequiredRole, "admin")
      .annotateMerge(describe("Make a token", "The secret is shown once."))
      .annotate(OnRepeat, "secret"),
    HttpApiEndpoint.delete("revokeToken", "/api/ops/tokens/:id", {
      params: { id: anyText },
      ...leaving,
      success: Schema.Struct({ id: Schema.String, revoked: Schema.Literal(true) }),
      error: [NotFound, OperatorConflict, Busy]
    })
      .annotate(RequiredRole, "admin")
      .annotateMerge(describe("Revoke a token", "Ends a token at once. The last admin's can't be revoked."))
  )
  .middleware(Reading)
  .middleware(OperatorAuth)
  .annotateMerge(OpenApi.annotations({ title: "Operators", description: "Sessions, tokens and roles." }))
