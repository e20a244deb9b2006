import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { reasonCharsMax } from "../../../engine/rules/operations/limits.ts"
import { HumanForOps } from "../../../schema/people/Human.ts"
import { ListenerForOps } from "../../../schema/listeners/Listener.ts"
import { Busy, InvalidField, MissingFields, NotFound } from "../../../schema/Problems.ts"
import { OperatorAuth, RequiredRole } from "../auth/Authorization.ts"
import { described } from "../Described.ts"
import { dry, dryRun, text } from "../Inputs.ts"
import { Reading } from "../RequestErrors.ts"
import { reason } from "../OperatorReason.ts"
import { idempotency, limit } from "../segments/Segments.ts"

const params = { id: Schema.String }
const user = Schema.Union([HumanForOps, ListenerForOps])
const one = Schema.Struct({ user })

/** People with an account, and listeners with and without one, as far as operators have to do with them. */
export const UsersApi = HttpApiGroup.make("users")
  .add(
    HttpApiEndpoint.get("list", "/api/ops/users", {
      query: {
        limit,
        cursor: Schema.optionalKey(Schema.String),
        kind: Schema.optionalKey(Schema.Literals(["human", "listener"]))
      },
      success: Schema.Struct({ users: Schema.Array(user), nextCursor: Schema.optionalKey(Schema.String) }),
      error: [InvalidField]
    })
      .annotate(RequiredRole, "admin")
      .annotateMerge(
        described(
          "List the users",
          "kind human (which it is unless said): people with an account; kind listener: those who listen, with and without one. Newest first. Where they can be written to is not shown to anybody."
        )
      ),
    HttpApiEndpoint.get("one", "/api/ops/users/:id", { params, success: one, error: [NotFound] })
      .annotate(RequiredRole, "admin")
      .annotateMerge(
        described(
          "Read a user",
          "All there is of a person, or of a listener with what it did and thinks, as it can be handed to them who ask for it."
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
        described(
          "Change a user",
          "published shows or hides the profile, blocked shuts the person out (with a reason, which they read), unlink true ends the tie to the agents of their address. Of a listener: blocked, and voidTokens true, after which every token that is about is good for nothing.",
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
        described(
          "Erase a user",
          "Everything of the person goes, their listeners and votes with it. Their agents stay, and are nobody's in public; the audit log keeps that somebody was erased, not who. A listener goes with its votes, as far as they were not an account's."
        )
      )
  )
  .middleware(Reading)
  .middleware(OperatorAuth)
  .annotateMerge(OpenApi.annotations({ title: "Users", description: "People with an account." }))
