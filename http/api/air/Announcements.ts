import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AnnouncementForOps, AnnouncementKind, AnnouncementSwitch } from "../../../schema/air/Announcement.ts"
import { Busy, InvalidField, MissingFields, NotFound } from "../../../schema/Problems.ts"
import { OperatorAuth, RequiredRole } from "../auth/Authorization.ts"
import { describe } from "../Described.ts"
import { anyText } from "../Inputs.ts"
import { Reading } from "../RequestErrors.ts"
import { reason } from "../OperatorReason.ts"
import { idempotency, limit } from "../segments/Segments.ts"

/** What the station says by itself: its words with their facts, and a switch for each kind. */
export const AnnouncementsApi = HttpApiGroup.make("announcements")
  .add(
    HttpApiEndpoint.get("list", "/api/ops/announcements", {
      query: { limit, cursor: Schema.optionalKey(anyText) },
      success: Schema.Struct({
        kinds: Schema.Array(AnnouncementSwitch),
        announcements: Schema.Array(AnnouncementForOps),
        nextCursor: Schema.optionalKey(Schema.String)
      }),
      error: [InvalidField]
    })
      .annotate(RequiredRole, "producer")
      .annotateMerge(
        describe(
          "List the station's own words",
          "Each kind with its switch, the minutes it has spoken in seven days and its limit; then the announcements, newest first, sentence by sentence with the fact that each states."
        )
      ),
    HttpApiEndpoint.patch("change", "/api/ops/announcements/:kind", {
      params: { kind: anyText },
      headers: idempotency,
      payload: Schema.Struct({ on: Schema.Boolean, reason }),
      success: Schema.Struct({ kinds: Schema.Array(AnnouncementSwitch) }),
      error: [MissingFields, InvalidField, NotFound, Busy]
    })
      .annotate(RequiredRole, "producer")
      .annotateMerge(
        describe(
          "Switch a kind of announcement on or off",
          `Kinds: ${AnnouncementKind.literals.join(", ")}. Off: none is made, and those that wait are dropped. One that sounds ends.`,
          { on: false, reason: "the morning show tells the time" }
        )
      )
  )
  .middleware(Reading)
  .middleware(OperatorAuth)
  .annotateMerge(
    OpenApi.annotations({
      title: "Announcements",
      description: "What the station says between contributions, by rule and from approved facts alone."
    })
  )
