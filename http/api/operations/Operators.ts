import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { operatorNameCharsMax, reasonCharsMax } from "../../../engine/rules/operations/limits.ts"
import { OperatorRole, OperatorScope, OperatorTokenView, OperatorView } from "../../../schema/operations/Operator.ts"
import { Busy, MissingFields, NotFound, OperatorConflict, OperatorRequired } from "../../../schema/Problems.ts"
import { email } from "../agents/Agents.ts"
import { OperatorAuth, RequiredRole } from "../auth/Authorization.ts"
import { described } from "../Described.ts"
import { OnRepeat } from "../Idempotent.ts"
import { anyText, filledText, text } from "../Inputs.ts"
import { Reading } from "../RequestErrors.ts"
import { reason } from "../OperatorReason.ts"
import { idempotency } from "../segments/Segments.ts"

const address = email.check(Schema.makeFilter((value) => (value === "" ? "must be an e-mail address" : undefined)))
const name = filledText(operatorNameCharsMax)
const leaving = { headers: idempotency, query: { reason: Schema.optionalKey(text(reasonCharsMax)) } }
const link = { operator: OperatorView, signInToken: Schema.String, expiresAt: Schema.String }

/** Needs no credential: the one-time link is one. */
export const SignInApi = HttpApiGroup.make("signIn")
  .add(
    HttpApiEndpoint.post("signIn", "/api/ops/sign-in", {
      payload: Schema.Struct({ token: filledText(100) }),
      success: Schema.Struct({ operator: OperatorView, expiresAt: Schema.String }),
      error: [OperatorRequired, Busy]
    })
      .annotateMerge(
        described(
          "Sign in with a link",
          "Takes the token of a one-time link and opens a session of twelve hours in the cookie __Host-ops."
        )
      )
      .annotate(OnRepeat, "anew")
  )
  .middleware(Reading)
  .annotateMerge(OpenApi.annotations({ title: "Signing in", description: "From a one-time link to a session." }))

/** Operators and their credentials. */
export const OperatorsApi = HttpApiGroup.make("operators")
  .add(
    HttpApiEndpoint.get("me", "/api/ops/me", {
      success: Schema.Struct({ operator: Schema.Struct({ name: Schema.String, role: OperatorRole }) })
    }).annotateMerge(described("Read your operator record", "Your name and your role at the station.")),
    HttpApiEndpoint.post("signOut", "/api/ops/sign-out", {
      success: Schema.Struct({ signedOut: Schema.Boolean }),
      error: [Busy]
    }).annotateMerge(
      described("Sign out", "Ends the session of the cookie. A token is not a session: it is revoked instead.")
    ),
    HttpApiEndpoint.get("operators", "/api/ops/operators", {
      success: Schema.Struct({ operators: Schema.Array(OperatorView) })
    })
      .annotate(RequiredRole, "admin")
      .annotateMerge(described("List the operators", "The station's operators and their roles.")),
    HttpApiEndpoint.post("addOperator", "/api/ops/operators", {
      headers: idempotency,
      payload: Schema.Struct({ name, role: OperatorRole, email: Schema.optionalKey(address), reason }),
      success: Schema.Struct(link),
      error: [OperatorConflict, Busy]
    })
      .annotate(RequiredRole, "admin")
      .annotateMerge(
        described(
          "Add an operator",
          "Returns the token of a one-time link, once. With email, the person can also sign in at /login with a provider that verifies that address."
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
        expiresAt: Schema.NullOr(Schema.String)
      }),
      error: [MissingFields, NotFound, OperatorConflict, Busy]
    })
      .annotate(RequiredRole, "admin")
      .annotateMerge(
        described(
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
      .annotateMerge(described("Remove an operator", "Ends all sessions with it. The last admin can't be removed.")),
    HttpApiEndpoint.get("tokens", "/api/ops/tokens", {
      success: Schema.Struct({ tokens: Schema.Array(OperatorTokenView) })
    })
      .annotate(RequiredRole, "admin")
      .annotateMerge(described("List the tokens", "Active and revoked tokens; never their secrets.")),
    HttpApiEndpoint.post("makeToken", "/api/ops/tokens", {
      headers: idempotency,
      payload: Schema.Struct({ name, scope: OperatorScope, reason }),
      success: Schema.Struct({ token: OperatorTokenView, secret: Schema.String }),
      error: [OperatorConflict, Busy]
    })
      .annotate(RequiredRole, "admin")
      .annotateMerge(described("Make a token", "The secret is shown once."))
      .annotate(OnRepeat, "secret"),
    HttpApiEndpoint.delete("revokeToken", "/api/ops/tokens/:id", {
      params: { id: anyText },
      ...leaving,
      success: Schema.Struct({ id: Schema.String, revoked: Schema.Literal(true) }),
      error: [NotFound, OperatorConflict, Busy]
    })
      .annotate(RequiredRole, "admin")
      .annotateMerge(described("Revoke a token", "Ends a token at once. The last admin's can't be revoked."))
  )
  .middleware(Reading)
  .middleware(OperatorAuth)
  .annotateMerge(OpenApi.annotations({ title: "Operators", description: "Sessions, tokens and roles." }))
