import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import {
  blockMinutesMax,
  blockMinutesMin,
  gridBlocksMax,
  showDescriptionCharsMax,
  showTitleCharsMax
} from "../../../engine/rules/programmes/limits.ts"
import { BlockKind, HourClock } from "../../../schema/programmes/Block.ts"
import {
  Busy,
  InvalidField,
  MissingFields,
  PreconditionFailed,
  ScheduleBlockNotFound,
  ShowNotFound,
  SubjectConflict
} from "../../../schema/Problems.ts"
import { ShowAudience, ShowFormat } from "../../../schema/programmes/Show.ts"
import { Genre } from "../../../schema/music/Track.ts"
import { WeekBlock, WeekFit, WeekView } from "../../../schema/programmes/WeekSchedule.ts"
import { OperatorAuth, RequiredRole } from "../auth/Authorization.ts"
import { describe } from "../Described.ts"
import { anyText, requiredText, idText, text } from "../Inputs.ts"
import { instant } from "../Instants.ts"
import { Reading } from "../RequestErrors.ts"
import { reason } from "../OperatorReason.ts"
import { conditional } from "../segments/Segments.ts"

const optional = Schema.optionalKey
/** Time, length and name of a block. */
const needed = {
  title: requiredText(showTitleCharsMax),
  kind: BlockKind,
  weekday: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 6 })),
  startLocal: Schema.String.check(
    Schema.makeFilter((value) =>
      /^([01]\d|2[0-3]):[0-5]\d$/.test(value) ? undefined : "must be a time of day such as 17:30"
    )
  ),
  durationMin: Schema.Int.check(Schema.isBetween({ minimum: blockMinutesMin, maximum: blockMinutesMax }))
}
const rest = {
  description: optional(text(showDescriptionCharsMax)),
  audience: optional(Schema.NullOr(ShowAudience)),
  format: optional(Schema.NullOr(ShowFormat)),
  genres: optional(Schema.Array(Genre).check(Schema.isMaxLength(Genre.literals.length))),
  overrunPolicy: optional(Schema.Literals(["trim", "defer", "allow"])),
  placement: optional(Schema.Literals(["hard", "soft", "by"])),
  bookable: optional(Schema.Boolean),
  showId: optional(Schema.NullOr(idText)),
  clock: optional(Schema.NullOr(HourClock))
}
const patched = {
  title: optional(needed.title),
  kind: optional(needed.kind),
  weekday: optional(needed.weekday),
  startLocal: optional(needed.startLocal),
  durationMin: optional(needed.durationMin),
  ...rest
}
export const BlockFields = Schema.Struct({ ...needed, ...rest })
export const BlockPatch = Schema.Struct(patched)
const how = { fit: optional(WeekFit), validFrom: optional(instant), cancelPlans: optional(Schema.Boolean), reason }
const success = Schema.Struct({
  blocks: Schema.Array(WeekBlock),
  cancelledPlanIds: Schema.Array(Schema.String),
  week: WeekView
})
const conflicts = [
  InvalidField,
  PreconditionFailed,
  ScheduleBlockNotFound,
  ShowNotFound,
  SubjectConflict,
  Busy
] as const
const same =
  "With fit exact, neighbours stay, and a change that leaves a minute without a block or with two is refused, minute by minute. With make_room, overlapped blocks are cut and gaps go to the block before. validFrom is the start of the change, default now; later versions of the week get the same change. The change is refused while agents have plans for runs that would disappear; cancelPlans cancels them and tells their agents."
/** Operators' commands on the week. */
export const BlocksApi = HttpApiGroup.make("blocks")
  .add(
    HttpApiEndpoint.get("week", "/api/ops/blocks", {
      query: { at: optional(instant) },
      success: Schema.Struct({ week: WeekView }),
      error: [InvalidField]
    })
      .annotate(RequiredRole, "producer")
      .annotateMerge(
        describe(
          "Read the week",
          "Every block of the week now or at another instant. validFrom is the start of this version, null for the initial week; later lists the instants of planned changes. The ETag is the version of all weeks: a change that sends it as If-Match is refused with 412 when they have changed since, and differences names the blocks."
        )
      ),
    HttpApiEndpoint.post("put", "/api/ops/blocks", {
      headers: conditional,
      payload: Schema.Struct({
        blocks: Schema.Array(BlockFields).check(Schema.isMinLength(1), Schema.isMaxLength(gridBlocksMax)),
        replaces: optional(Schema.Array(idText).check(Schema.isMaxLength(gridBlocksMax))),
        ...how
      }),
      success,
      error: [MissingFields, ...conflicts]
    })
      .annotate(RequiredRole, "producer")
      .annotateMerge(
        describe(
          "Put blocks into the week",
          `One or several at once, in place of those that replaces names. ${same} Blocks of kind show and collaboration begin on time and can be booked by default.`,
          {
            blocks: [
              {
                title: "Harbour Hour",
                kind: "show",
                weekday: 2,
                startLocal: "11:00",
                durationMin: 60,
                genres: ["jazz"]
              }
            ],
            fit: "make_room",
            reason: "an hour for guests in the morning"
          }
        )
      ),
    HttpApiEndpoint.patch("change", "/api/ops/blocks/:id", {
      params: { id: anyText },
      headers: conditional,
      payload: Schema.Struct({ ...patched, ...how }),
      success,
      error: [MissingFields, ...conflicts]
    })
      .annotate(RequiredRole, "producer")
      .annotateMerge(
        describe(
          "Change a block",
          `Changes its place, length or other fields; fields that you leave out stay. ${same}`,
          {
            startLocal: "17:00",
            durationMin: 90,
            fit: "make_room",
            reason: "guests ask for more"
          }
        )
      ),
    HttpApiEndpoint.delete("remove", "/api/ops/blocks/:id", {
      params: { id: anyText },
      headers: conditional,
      query: {
        fit: optional(WeekFit),
        validFrom: optional(instant),
        cancelPlans: optional(Schema.Literals(["true", "false"])),
        reason
      },
      success,
      error: conflicts
    })
      .annotate(RequiredRole, "producer")
      .annotateMerge(
        describe(
          "Remove a block from the week",
          `With fit make_room the block before it is extended; otherwise a week with a gap is refused. ${same}`
        )
      )
  )
  .middleware(Reading)
  .middleware(OperatorAuth)
  .annotateMerge(OpenApi.annotations({ title: "Week", description: "The blocks of the week and their versions." }))
