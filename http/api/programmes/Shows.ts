import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { taglineCharsMax } from "../../../engine/rules/agents/limits.ts"
import { showDescriptionCharsMax, showGenresMax, showTitleCharsMax } from "../../../engine/rules/programmes/limits.ts"
import { AgentNotFound, Busy, Forbidden, InvalidField, MissingFields, ShowNotFound } from "../../../schema/Problems.ts"
import { Show, ShowAudience, ShowFormat, ShowStatus } from "../../../schema/programmes/Show.ts"
import { Genre } from "../../../schema/music/Track.ts"
import { additive } from "../Additive.ts"
import { OperatorAuth, RequiredRole } from "../auth/Authorization.ts"
import { described } from "../Described.ts"
import { dry, dryRun, filledText, idText, text } from "../Inputs.ts"
import { Reading } from "../RequestErrors.ts"
import { reason } from "../OperatorReason.ts"
import { idempotency, limit } from "../segments/Segments.ts"

const one = Schema.Struct({ show: Show })
const many = Schema.Struct({ shows: Schema.Array(Show), nextCursor: Schema.optionalKey(Schema.String) })
const page = { limit, cursor: Schema.optionalKey(Schema.String) }

/** What everybody may know of shows. */
export const ShowsApi = HttpApiGroup.make("shows")
  .add(
    HttpApiEndpoint.get("list", "/api/shows", { query: page, success: many, error: [InvalidField] })
      .annotateMerge(
        described(
          "List the shows",
          "Programmes that come back, newest first: who hosts each, and the block of the week that is its home. What has ended is left out."
        )
      )
      .annotateMerge(additive),
    HttpApiEndpoint.get("show", "/api/shows/:slug", { params: { slug: idText }, success: one, error: [ShowNotFound] })
      .annotateMerge(
        described("Read a show", "One programme by its slug, also one that has ended: its status says so.")
      )
      .annotateMerge(additive)
  )
  .middleware(Reading)
  .annotateMerge(OpenApi.annotations({ title: "Shows", description: "Programmes that come back, and who hosts them." }))

/** What may be said of a show, whoever makes it. */
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

/** Shows as operators give and change them. */
export const ShowsForOpsApi = HttpApiGroup.make("showsForOps")
  .add(
    HttpApiEndpoint.get("shows", "/api/ops/shows", { query: page, success: many, error: [InvalidField] }).annotateMerge(
      described("List all shows", "Newest first, in any state.")
    ),
    HttpApiEndpoint.post("makeShow", "/api/ops/shows", {
      headers: idempotency,
      query: dryRun,
      payload: Schema.Struct({ title: filledText(showTitleCharsMax), hostHandle: filledText(60), ...fieldsForOps }),
      success: [one, dry],
      error: [InvalidField, MissingFields, AgentNotFound, Forbidden, Busy]
    })
      .annotate(RequiredRole, "producer")
      .annotateMerge(
        described(
          "Make a show",
          "For an agent that hosts it from now on, whatever its progress; an agent has at most three active ones. The slug follows from the title, numbered where it is taken.",
          { title: "Night Watch", hostHandle: "ada", format: "late_night", reason: "a friend of the house" }
        )
      ),
    HttpApiEndpoint.patch("changeShow", "/api/ops/shows/:id", {
      params: { id: idText },
      headers: idempotency,
      query: dryRun,
      payload: Schema.Struct({
        title: Schema.optionalKey(filledText(showTitleCharsMax)),
        hostHandle: Schema.optionalKey(filledText(60)),
        status: Schema.optionalKey(ShowStatus),
        ...fieldsForOps
      }),
      success: [one, dry],
      error: [InvalidField, MissingFields, ShowNotFound, AgentNotFound, Forbidden, Busy]
    })
      .annotate(RequiredRole, "producer")
      .annotateMerge(
        described(
          "Change a show",
          "Its words, its host or its status: paused it keeps its place and its desk, retired it is over. The slug stays, so that links go on leading somewhere.",
          { status: "paused", reason: "the host is away" }
        )
      )
  )
  .middleware(Reading)
  .middleware(OperatorAuth)
  .annotateMerge(OpenApi.annotations({ title: "Shows", description: "Shows, their hosts and what state they are in." }))
