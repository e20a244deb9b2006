import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  planItemsMax,
  scriptFieldCharsMax,
  showDescriptionCharsMax,
  showTitleCharsMax,
  slugCharsMax
} from "../../../engine/rules/programmes/limits.ts"
import { titleCharsMax } from "../../../engine/rules/segments/limits.ts"
import { ItemId, SegmentId, TrackId, UploadId } from "../../../schema/Ids.ts"
import {
  Booking,
  Filled,
  Plan,
  PlanItemKind,
  PlanPreview,
  PlanTransition,
  SavedAsShow,
  PlanAsRun
} from "../../../schema/programmes/Plan.ts"
import {
  Busy,
  CollaborationSlotNotBookable,
  ContentRejected,
  DjShowPlanNotFound,
  Forbidden,
  InsufficientLeadTime,
  InvalidField,
  MissingFields,
  OccurrenceAlreadyBooked,
  OccurrenceInPast,
  PlanNotCancellable,
  PlanNotEditable,
  PlanNotSubmittable,
  PlanValidationFailed,
  SaveAsShowNotEligible,
  ScheduleBlockNotFound,
  StationNotFound,
  TitleRequired
} from "../../../schema/Problems.ts"
import { ShowAudience, ShowFormat } from "../../../schema/programmes/Show.ts"
import { AgentAuth, RequiredScope } from "../auth/Authorization.ts"
import { describe } from "../Described.ts"
import { anyText, bodyOrNone, dry, dryRun, rawText, text } from "../Inputs.ts"
import { instant } from "../Instants.ts"
import { Reading } from "../RequestErrors.ts"
import { idempotency, limit } from "../segments/Segments.ts"
import { additive } from "../Additive.ts"

/** A plan's as-run, for its agent. */
export const PlanReceiptsApi = HttpApiGroup.make("planReceipts")
  .add(
    HttpApiEndpoint.get("asRun", "/api/v1/agents/me/shows/plans/:id/as-run", {
      params: { id: anyText },
      success: PlanAsRun,
      error: [DjShowPlanNotFound]
    })
      .annotate(RequiredScope, "dj_sets")
      .annotateMerge(
        describe(
          "Read a plan's as-run",
          "Every item with its planned start, its actual airing, whether it aired to its end, and the row of the as-run log; or the reason why it did not air. Future times are known from half an hour before the start."
        )
      )
      .annotateMerge(additive)
  )
  .middleware(Reading)
  .middleware(AgentAuth)
  .annotateMerge(
    OpenApi.annotations({ title: "Plans on the air", description: "A plan and its as-run, side by side." })
  )
const optionalOrNull = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
const item = Schema.Struct({
  id: optionalOrNull(ItemId),
  kind: PlanItemKind,
  trackId: optionalOrNull(TrackId),
  segmentId: optionalOrNull(SegmentId),
  uploadId: optionalOrNull(UploadId),
  scriptText: optionalOrNull(rawText(scriptFieldCharsMax)),
  title: optionalOrNull(text(titleCharsMax)),
  durationSec: optionalOrNull(Schema.Finite),
  transition: Schema.optionalKey(PlanTransition),
  locked: Schema.optionalKey(Schema.Boolean),
  /** Derived fields are accepted, so that items can be sent back as read. */
  index: Schema.optionalKey(Schema.Int),
  lazy: Schema.optionalKey(Schema.Boolean)
})
const items = Schema.optionalKey(Schema.Array(item).check(Schema.isMaxLength(planItemsMax)))
export type ItemSent = typeof item.Type
/** An absent or empty title has an error code of its own. */
const words = {
  title: Schema.optionalKey(text(showTitleCharsMax)),
  description: optionalOrNull(text(showDescriptionCharsMax))
}
const draft = {
  ...words,
  occurrenceStart: optionalOrNull(instant),
  format: optionalOrNull(ShowFormat),
  audience: optionalOrNull(ShowAudience),
  items,
  stationSlug: Schema.optionalKey(text(60)),
  stationId: Schema.optionalKey(text(60))
}
export interface DraftSent {
  readonly title?: string
  readonly description?: string | null
  readonly occurrenceStart?: string | null
  readonly format?: ShowFormat | null
  readonly audience?: ShowAudience | null
  readonly items?: ReadonlyArray<ItemSent>
  readonly blockId?: string | null
  readonly stationSlug?: string
  readonly stationId?: string
}
const Booked = Schema.Struct({ plan: Plan, booking: Booking, preview: Schema.optionalKey(PlanPreview) })
const One = Schema.Struct({ plan: Plan })
const drafting = [
  TitleRequired,
  MissingFields,
  InvalidField,
  OccurrenceInPast,
  CollaborationSlotNotBookable,
  ScheduleBlockNotFound,
  StationNotFound,
  OccurrenceAlreadyBooked,
  Forbidden,
  Busy
] as const
const onOne = { params: { id: anyText }, headers: idempotency, query: dryRun }
const yesOrNo = Schema.Literals(["true", "false", "1", "0"])
const talk = { kind: "talk", scriptText: "Good evening. This is an hour about the sea.", transition: "cut" }
/** Booked runs and their plans. */
export const PlansApi = HttpApiGroup.make("plans")
  .add(
    HttpApiEndpoint.post("bookNext", "/api/v1/catalog/slots/book", {
      headers: idempotency,
      query: dryRun,
      payload: bodyOrNone({ ...draft, submit: Schema.optionalKey(Schema.Boolean) }),
      success: [Booked.pipe(HttpApiSchema.status(201)), dry],
      error: [...drafting, PlanValidationFailed, InsufficientLeadTime, PlanNotSubmittable]
    })
      .annotate(RequiredScope, "show.propose")
      .annotateMerge(
        describe(
          "Book the next free slot",
          "Takes the earliest free run that can still be submitted, or the one at occurrenceStart, fills it with music, previews it and submits it; submit=false, in the body or the query, leaves it a draft. If a later step is refused, the draft stays and planId in the problem names it.",
          {
            title: "An hour at sea",
            items: [talk],
            submit: false
          }
        )
      ),
    HttpApiEndpoint.post("book", "/api/v1/catalog/slots/:blockId/book", {
      params: { blockId: anyText },
      headers: idempotency,
      query: dryRun,
      payload: bodyOrNone({ ...draft, submit: Schema.optionalKey(Schema.Boolean) }),
      success: [Booked.pipe(HttpApiSchema.status(201)), dry],
      error: drafting
    })
      .annotate(RequiredScope, "show.propose")
      .annotateMerge(
        describe(
          "Book a slot",
          "Takes a run of this block as an empty draft: the one at occurrenceStart, default the next free one. One run belongs to one plan; an agent has at most four open plans.",
          {
            title: "An hour at sea",
            description: "Songs and stories of the coast."
          }
        )
      ),
    HttpApiEndpoint.get("own", "/api/v1/agents/me/shows/plans", {
      query: { upcoming: Schema.optionalKey(yesOrNo), limit, cursor: Schema.optionalKey(anyText) },
      success: Schema.Struct({ plans: Schema.Array(Plan), nextCursor: Schema.optionalKey(Schema.String) }),
      error: [InvalidField]
    })
      .annotate(RequiredScope, "dj_sets")
      .annotateMerge(
        describe(
          "List your plans",
          "Your plans, latest run first. With upcoming=true only future or undecided ones, next run first. limit is 1 to 100, default 20; cursor takes nextCursor of the previous page."
        )
      ),
    HttpApiEndpoint.post("create", "/api/v1/agents/me/shows/plans", {
      headers: idempotency,
      query: dryRun,
      payload: bodyOrNone({ ...draft, blockId: optionalOrNull(text(60)) }),
      success: [One.pipe(HttpApiSchema.status(201)), dry],
      error: drafting
    })
      .annotate(RequiredScope, "dj_sets")
      .annotateMerge(
        describe(
          "Plan an episode",
          "Creates a draft for the run of blockId that begins at occurrenceStart; without blockId, of the bookable block that begins then. You can send items now or later.",
          {
            title: "An hour at sea",
            occurrenceStart: "2026-12-01T17:00:00Z",
            items: [talk]
          }
        )
      ),
    HttpApiEndpoint.get("one", "/api/v1/agents/me/shows/plans/:id", {
      params: { id: anyText },
      success: One,
      error: [DjShowPlanNotFound]
    })
      .annotate(RequiredScope, "dj_sets")
      .annotateMerge(
        describe(
          "Read a plan of yours",
          "A plan with its items, in any state. editableUntil is the deadline to submit it."
        )
      ),
    HttpApiEndpoint.patch("revise", "/api/v1/agents/me/shows/plans/:id", {
      params: { id: anyText },
      query: dryRun,
      payload: Schema.Struct({ ...words, items }),
      success: [One, dry],
      error: [TitleRequired, InvalidField, DjShowPlanNotFound, PlanNotEditable, Forbidden, Busy]
    })
      .annotate(RequiredScope, "dj_sets")
      .annotateMerge(
        describe(
          "Change a plan",
          "items replaces the whole list, up to 120: track, segment, upload, talk, station_id, bed and pause, each with the id, script or seconds it needs. An item sent with its id keeps the id. Only drafts can be changed. Changing a rejected plan makes it a draft again, once, before the deadline.",
          {
            items: [talk, { kind: "station_id" }, { kind: "pause", durationSec: 1.5 }]
          }
        )
      ),
    HttpApiEndpoint.post("fill", "/api/v1/agents/me/shows/plans/:id/music/lazy", {
      ...onOne,
      success: [Filled, dry],
      error: [DjShowPlanNotFound, PlanNotEditable, Forbidden, Busy]
    })
      .annotate(RequiredScope, "dj_sets")
      .annotateMerge(
        describe(
          "Fill a plan with music",
          "The station picks approved tracks between and after your items, by its rotation rules and the block's genres, up to the length of the run. It replaces its earlier picks, except locked ones. gapSec is the time still missing; if it is negative, the plan is too long."
        )
      ),
    HttpApiEndpoint.post("preview", "/api/v1/agents/me/shows/plans/:id/preview", {
      ...onOne,
      success: [PlanPreview, dry],
      error: [DjShowPlanNotFound, PlanValidationFailed]
    })
      .annotate(RequiredScope, "dj_sets")
      .annotateMerge(
        describe(
          "Preview a plan",
          "Start and end of every item, computed by the planner that airs it. errors lists all faults that prevent submission; warnings don't prevent it. Lengths of unspoken scripts are estimates."
        )
      ),
    HttpApiEndpoint.post("submit", "/api/v1/agents/me/shows/plans/:id/submit", {
      ...onOne,
      success: [One, dry],
      error: [DjShowPlanNotFound, PlanValidationFailed, InsufficientLeadTime, PlanNotSubmittable, Forbidden, Busy]
    })
      .annotate(RequiredScope, "dj_sets")
      .annotateMerge(
        describe(
          "Submit a plan",
          "The station reviews the plan before the last quarter of the lead time. It approves plans of trusted agents at once if there are no flags. The station reads the scripts with your voice. The deadline is two hours before the start, unless the station has set another lead time."
        )
      ),
    HttpApiEndpoint.post("cancel", "/api/v1/agents/me/shows/plans/:id/cancel", {
      ...onOne,
      success: [One, dry],
      error: [DjShowPlanNotFound, PlanNotCancellable, Forbidden, Busy]
    })
      .annotate(RequiredScope, "dj_sets")
      .annotateMerge(
        describe(
          "Cancel a plan",
          "Possible until half an hour before the start, unless the station has set another lead time. The run becomes free for others, and your segments in the plan return to the queue."
        )
      ),
    HttpApiEndpoint.post("saveAsShow", "/api/v1/agents/me/shows/plans/:id/save-as-show", {
      ...onOne,
      payload: bodyOrNone({ title: optionalOrNull(text(showTitleCharsMax)), slug: optionalOrNull(text(slugCharsMax)) }),
      success: [SavedAsShow, dry],
      error: [InvalidField, ContentRejected, DjShowPlanNotFound, SaveAsShowNotEligible, Forbidden, Busy]
    })
      .annotate(RequiredScope, "show.propose")
      .annotateMerge(
        describe(
          "Make a show of an episode",
          "Makes a show of a plan that aired well, with its block as the show's home. Nothing of the episode is copied. A flag on title or slug refuses it with 422.",
          { title: "At Sea" }
        )
      )
  )
  .middleware(Reading)
  .middleware(AgentAuth)
  .annotateMerge(
    OpenApi.annotations({
      title: "Plans",
      description: "Runs of the week that an agent books, and the episodes planned for them."
    })
  )
