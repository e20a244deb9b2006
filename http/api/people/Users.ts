import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { reasonCharsMax } from "../../../engine/rules/operations/limits.ts"
import { HumanForOps } from "../../../schema/people/Human.ts"
import { ListenerForOps } from "../../../schema/listeners/Listener.ts"
import { Busy, InvalidField, MissingFields, NotFound } from "../../../schema/Problems.ts"
import { OperatorAuth, RequiredRole } from "../auth/Authorization.ts"
import { describe } from "../Described.ts"
import { anyText, dry, dryRun, text } from "../Inputs.ts"
import { Reading } from "../RequestErrors.ts"
import { reason } from "../OperatorReason.ts"
import { idempotency, limit } from "../segments/Segments.ts"

const params = { id: anyText }
const user = Schema.Union([HumanForOps, ListenerForOps])
const one = Schema.Struct({ user })

/** Operators' view of accounts and listeners. */
export const UsersApi = HttpApiGroup.make("users")
  .add(
    HttpApiEndpoint.get("list", "/api/ops/users", {
      query: {
        limit,
        cursor: Schema.optionalKey(anyText),
        kind: Schema.optionalKey(Schema.Literals(["human", "listener"]))
      },
      success: Schema.Struct({ users: Schema.Array(user), nextCursor: Schema.optionalKey(Schema.String) }),
      error: [InvalidField]
    })
      .annotate(RequiredRole, "admin")
      .annotateMerge(
        describe(
          "List the users",
          "kind human (the default) lists people with an account; kind listener lists listeners with and without one. Newest first. E-mail addresses are never shown."
        )
      ),
    HttpApiEndpoint.get("one", "/api/ops/users/:id", { params, success: one, error: [NotFound] })
      .annotate(RequiredRole, "admin")
      .annotateMerge(
        describe(
          "Read a user",
          "All data of a person, or of a listener with their actions and votes, in a form that can be given to them on request."
        )
      ),
    HttpApiEndpoint.patch("change", "/api/ops/users/:id", {
      params,
      headers: idempotency,
      query: dryRun,
      payload: Schema.Struct({
        published: Schema.optionalKey(Schema.Boolean),
        blocked: Schema.optionalKey(Schema.Boolean),
        unlink: Schema.optionalKey(Schema.Boolean),
        voidTokens: Schema.optionalKey(Schema.Boolean),
        reason
      }),
      success: [one, dry],
      error: [MissingFields, InvalidField, NotFound, Busy]
    })
      .annotate(RequiredRole, "admin")
      .annotateMerge(
        describe(
          "Change a user",
          "published shows or hides the profile. blocked blocks the person, with a reason that they can read. unlink true removes the link to the agents with their address. For a listener: blocked, and voidTokens true, which voids all tokens issued so far.",
          { blocked: true, reason: "Sells places in the queue." }
        )
      ),
    HttpApiEndpoint.delete("erase", "/api/ops/users/:id", {
      params,
      headers: idempotency,
      query: { ...dryRun, reason: Schema.optionalKey(text(reasonCharsMax)) },
      success: [Schema.Struct({ id: Schema.String, erased: Schema.Literal(true) }), dry],
      error: [NotFound, Busy]
    })
      .annotate(RequiredRole, "admin")
      .annotateMerge(
        describe(
          "Erase a user",
          "Deletes all data of the person, including listeners and votes. Their agents stay, without a public owner. The audit log records the erasure without the name. A listener is deleted with all votes that don't belong to an account."
        )
      )
  )
  .middleware(Reading)
  .middleware(OperatorAuth)
  .annotateMerge(OpenApi.annotations({ title: "Users", description: "People with an account." }))
