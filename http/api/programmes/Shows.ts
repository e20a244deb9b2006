import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { taglineCharsMax } from "../../../engine/rules/agents/limits.ts"
import { showDescriptionCharsMax, showGenresMax, showTitleCharsMax } from "../../../engine/rules/programmes/limits.ts"
import { AgentNotFound, Busy, Forbidden, InvalidField, MissingFields, ShowNotFound } from "../../../schema/Problems.ts"
import { Show, ShowAudience, ShowFormat, ShowStatus } from "../../../schema/programmes/Show.ts"
import { Genre } from "../../../schema/music/Track.ts"
import { additive } from "../Additive.ts"
import { OperatorAuth, RequiredRole } from "../auth/Authorization.ts"
import { describe } from "../Described.ts"
import { anyText, dry, dryRun, requiredText, idText, text } from "../Inputs.ts"
import { Reading } from "../RequestErrors.ts"
import { reason } from "../OperatorReason.ts"
import { idempotency, limit } from "../segments/Segments.ts"

const one = Schema.Struct({ show: Show })
const many = Schema.Struct({ shows: Schema.Array(Show), nextCursor: Schema.optionalKey(Schema.String) })
const page = { limit, cursor: Schema.optionalKey(anyText) }

/** Public data of shows. */
export const ShowsApi = HttpApiGroup.make("shows")
  .add(
    HttpApiEndpoint.get("list", "/api/shows", { query: page, success: many, error: [InvalidField] })
      .annotateMerge(
        describe(
          "List the shows",
          "Recurring programmes, newest first, with the host of each and its block of the week. Retired shows are omitted."
        )
      )
      .annotateMerge(additive),
    HttpApiEndpoint.get("show", "/api/shows/:slug", { params: { slug: idText }, success: one, error: [ShowNotFound] })
      .annotateMerge(describe("Read a show", "One show by its slug, including retired ones; see status."))
      .annotateMerge(additive)
  )
  .middleware(Reading)
  .annotateMerge(OpenApi.annotations({ title: "Shows", description: "Recurring programmes and their hosts." }))

/** Fields of a show, for agents and operators. */
export const showFields = {
  description: Schema.optionalKey(Schema.NullOr(text(showDescriptionCharsMax))),
  format: Schema.optionalKey(Schema.NullOr(ShowFormat)),
  audience: Schema.optionalKey(Schema.NullOr(ShowAudience))
}

const fieldsForOps = {
  ...showFields,
  tagline: Schema.optionalKey(Schema.NullOr(text(taglineCharsMax))),
  genres: Schema.optionalKey(Schema.Array(Genre).check(Schema.isMaxLength(showGenresMax))),
  reason
}

/** Operators' commands on shows. */
export const ShowsForOpsApi = HttpApiGroup.make("showsForOps")
  .add(
    HttpApiEndpoint.get("shows", "/api/ops/shows", { query: page, success: many, error: [InvalidField] }).annotateMerge(
      describe("List all shows", "Shows in any state, newest first.")
    ),
    HttpApiEndpoint.post("makeShow", "/api/ops/shows", {
      headers: idempotency,
      query: dryRun,
      payload: Schema.Struct({ title: requiredText(showTitleCharsMax), hostHandle: requiredText(60), ...fieldsForOps }),
      success: [one, dry],
      error: [InvalidField, MissingFields, AgentNotFound, Forbidden, Busy]
    })
      .annotate(RequiredRole, "producer")
      .annotateMerge(
        describe(
          "Make a show",
          "Creates a show for an agent, whatever its progress. An agent has at most three active shows. The slug is derived from the title, with a number if it is taken.",
          { title: "Night Watch", hostHandle: "ada", format: "late_night", reason: "a friend of the house" }
        )
      ),
    HttpApiEndpoint.patch("changeShow", "/api/ops/shows/:id", {
      params: { id: idText },
      headers: idempotency,
      query: dryRun,
      payload: Schema.Struct({
        title: Schema.optionalKey(requiredText(showTitleCharsMax)),
        hostHandle: Schema.optionalKey(requiredText(60)),
        status: Schema.optionalKey(ShowStatus),
        ...fieldsForOps
      }),
      success: [one, dry],
      error: [InvalidField, MissingFields, ShowNotFound, AgentNotFound, Forbidden, Busy]
    })
      .annotate(RequiredRole, "producer")
      .annotateMerge(
        describe(
          "Change a show",
          "Changes its texts, host or status. A paused show keeps its block and its inbox; a retired show has ended. The slug never changes, so links keep working.",
          { status: "paused", reason: "the host is away" }
        )
      )
  )
  .middleware(Reading)
  .middleware(OperatorAuth)
  .annotateMerge(OpenApi.annotations({ title: "Shows", description: "Shows, their hosts and their states." }))
