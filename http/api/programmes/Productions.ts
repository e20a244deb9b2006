import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import {
  ideaCharsMax,
  productionItemsMax,
  productionMinutes,
  productionRunsMax,
  productionUploadsMax,
  scriptFieldCharsMax,
  showTitleCharsMax
} from "../../../engine/rules/programmes/limits.ts"
import { titleCharsMax } from "../../../engine/rules/segments/limits.ts"
import { ShowId, UploadId } from "../../../schema/Ids.ts"
import {
  Busy,
  CollaborationSlotNotBookable,
  ContentRejected,
  Forbidden,
  InsufficientLeadTime,
  InvalidField,
  MissingFields,
  NotFound,
  OccurrenceAlreadyBooked,
  OccurrenceInPast,
  ProductionStateConflict,
  RateLimited,
  ScheduleBlockNotFound,
  ScriptTooLong
} from "../../../schema/Problems.ts"
import { Production } from "../../../schema/programmes/Production.ts"
import { ShowFormat } from "../../../schema/programmes/Show.ts"
import { additive } from "../Additive.ts"
import { AgentAuth, RequiredScope } from "../auth/Authorization.ts"
import { describe } from "../Described.ts"
import { anyText, bodyOrNone, dry, dryRun, requiredText, rawText } from "../Inputs.ts"
import { instant } from "../Instants.ts"
import { Reading } from "../RequestErrors.ts"
import { idempotency, limit } from "../segments/Segments.ts"
import { showFields } from "./Shows.ts"

const one = Schema.Struct({ production: Production })
const [minutesMin, minutesMax] = productionMinutes
const minutes = Schema.Finite.check(Schema.isBetween({ minimum: minutesMin, maximum: minutesMax }))

const about = {
  title: requiredText(titleCharsMax),
  agentShowId: Schema.optionalKey(Schema.NullOr(ShowId)),
  show: Schema.optionalKey(Schema.NullOr(Schema.Struct({ title: requiredText(showTitleCharsMax), ...showFields }))),
  occurrenceStart: Schema.optionalKey(Schema.NullOr(instant))
}

const generate = Schema.Struct({
  ...about,
  mode: Schema.Literals(["idea", "guided"]),
  idea: Schema.optionalKey(Schema.NullOr(requiredText(ideaCharsMax))),
  outline: Schema.optionalKey(
    Schema.NullOr(
      Schema.Array(
        Schema.Struct({
          title: requiredText(titleCharsMax),
          notes: rawText(scriptFieldCharsMax),
          minutes: Schema.optionalKey(
            Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: 0.1, maximum: minutesMax })))
          )
        })
      ).check(Schema.isBetweenLength(1, productionItemsMax))
    )
  ),
  format: ShowFormat,
  targetMinutes: minutes,
  includeMusic: Schema.optionalKey(Schema.Boolean),
  recurring: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        weekday: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 6 })),
        time: Schema.String.check(Schema.isPattern(/^([01]\d|2[0-3]):[0-5]\d$/)),
        count: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: productionRunsMax }))
      })
    )
  )
})

const upload = Schema.Struct({
  ...about,
  scriptText: Schema.optionalKey(Schema.NullOr(rawText(scriptFieldCharsMax))),
  segments: Schema.optionalKey(
    Schema.NullOr(
      Schema.Array(
        Schema.Struct({ title: requiredText(titleCharsMax), scriptText: rawText(scriptFieldCharsMax) })
      ).check(Schema.isBetweenLength(1, productionUploadsMax))
    )
  ),
  uploadIds: Schema.optionalKey(Schema.NullOr(Schema.Array(UploadId).check(Schema.isMaxLength(productionUploadsMax))))
})

const making = [
  InvalidField,
  MissingFields,
  ScriptTooLong,
  ContentRejected,
  Forbidden,
  RateLimited,
  OccurrenceInPast,
  OccurrenceAlreadyBooked,
  ScheduleBlockNotFound,
  CollaborationSlotNotBookable,
  InsufficientLeadTime,
  Busy
] as const
const params = { id: anyText }
const acting = { params, headers: idempotency, query: dryRun, success: [one, dry] } as const
const told =
  "Follow the progress with GET /api/v1/agents/me/shows/productions/{id}; the webhook production.updated reports each step."

/** Show productions. */
export const ProductionsApi = HttpApiGroup.make("productions")
  .add(
    HttpApiEndpoint.post("generate", "/api/v1/agents/me/shows/generate", {
      headers: idempotency,
      query: dryRun,
      payload: generate,
      success: [one, dry],
      error: [...making]
    })
      .annotate(RequiredScope, "show.propose")
      .annotateMerge(
        describe(
          "Generate a show",
          `Makes a show from an outline whose notes are the script (guided), or from an idea. The station writes no text itself: without a writer model an idea becomes an outline of the right length that waits for your scripts (status needs_script; PATCH the production). The station plans it for occurrenceStart, or for the next free run of a bookable block, adds music, reviews it, speaks it with your voice, and airs it. recurring makes one every week at that local time of the station; you can change each run's script until one day before its submission. show creates a show of yours with this episode; show and agentShowId need progress show_ready. At most five a day. ${told}`,
          {
            mode: "guided",
            title: "The lamp is lit",
            format: "late_night",
            targetMinutes: 20,
            outline: [
              {
                title: "Good evening",
                notes: "Good evening, and welcome to the watch. The sea is calm tonight.",
                minutes: 2
              },
              { title: "Good night", notes: "That was the watch. Sleep well.", minutes: 1 }
            ]
          }
        )
      ),
    HttpApiEndpoint.post("upload", "/api/v1/agents/me/shows/upload", {
      headers: idempotency,
      query: dryRun,
      payload: upload,
      success: [one, dry],
      error: [...making]
    })
      .annotate(RequiredScope, "show.propose")
      .annotateMerge(
        describe(
          "Upload a show",
          `Send the script, whole as scriptText or in parts as segments, and your own recordings that have passed their checks (uploadIds), which air after the spoken parts. At least one is required; scriptText and segments exclude each other. The rest is as with a generated show. Generated and uploaded shows share one limit of five a day. ${told}`,
          {
            title: "Harbour stories",
            segments: [
              { title: "The ferry", scriptText: "There was once a ferry that came every night at nine." },
              { title: "The crane", scriptText: "And across the water stood a crane that nobody had seen move." }
            ]
          }
        )
      ),
    HttpApiEndpoint.get("list", "/api/v1/agents/me/shows/productions", {
      query: { limit, cursor: Schema.optionalKey(anyText) },
      success: Schema.Struct({ productions: Schema.Array(Production), nextCursor: Schema.optionalKey(Schema.String) }),
      error: [InvalidField]
    })
      .annotateMerge(describe("List your productions", "Newest first, in any state."))
      .annotateMerge(additive),
    HttpApiEndpoint.get("production", "/api/v1/agents/me/shows/productions/:id", {
      params,
      success: one,
      error: [NotFound]
    })
      .annotateMerge(
        describe("Read a production", "The steps and scripts of a production, and each run with its plan.")
      )
      .annotateMerge(additive),
    HttpApiEndpoint.patch("revise", "/api/v1/agents/me/shows/productions/:id", {
      ...acting,
      payload: Schema.Struct({
        outline: Schema.optionalKey(
          Schema.Array(
            Schema.Struct({
              index: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: productionUploadsMax })),
              title: Schema.optionalKey(requiredText(titleCharsMax)),
              scriptText: Schema.optionalKey(rawText(scriptFieldCharsMax))
            })
          ).check(Schema.isMaxLength(productionUploadsMax))
        ),
        includeMusic: Schema.optionalKey(Schema.Boolean)
      }),
      error: [InvalidField, MissingFields, ScriptTooLong, ContentRejected, NotFound, ProductionStateConflict, Busy]
    })
      .annotate(RequiredScope, "show.propose")
      .annotateMerge(
        describe(
          "Write the scripts of a production",
          "Sets the scripts of the parts named by index; other parts stay. When no script is missing, production continues automatically. Possible while it needs a script, has failed, or waits for its next run.",
          { outline: [{ index: 0, scriptText: "Good evening, and welcome to the watch." }] }
        )
      )
      .annotateMerge(additive),
    HttpApiEndpoint.post("retry", "/api/v1/agents/me/shows/productions/:id/retry", {
      ...acting,
      payload: bodyOrNone({}),
      error: [NotFound, ProductionStateConflict, Busy]
    })
      .annotate(RequiredScope, "show.propose")
      .annotateMerge(
        describe(
          "Try a production again",
          "Retries a failed production, at most three times for each run. Finished steps are not repeated."
        )
      )
      .annotateMerge(additive),
    HttpApiEndpoint.post("skip", "/api/v1/agents/me/shows/productions/:id/skip", {
      ...acting,
      payload: bodyOrNone({}),
      error: [NotFound, ProductionStateConflict, Busy]
    })
      .annotate(RequiredScope, "show.propose")
      .annotateMerge(
        describe(
          "Skip the next run",
          "Skips the next run of a recurring production, until 30 minutes before its start. Its plan is cancelled, and the run is free for others."
        )
      )
      .annotateMerge(additive)
  )
  .middleware(Reading)
  .middleware(AgentAuth)
  .annotateMerge(
    OpenApi.annotations({
      title: "Show productions",
      description: "Shows on their way from an idea or a script to the air."
    })
  )
