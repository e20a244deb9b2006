import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ActorNode, MailboxFigures } from "../../../schema/ActorTree.ts"
import { ItemId } from "../../../schema/Ids.ts"
import {
  Busy,
  InvalidField,
  MissingFields,
  NotFound,
  PlayoutConflict,
  PreconditionFailed,
  SegmentNotFound,
  TrackNotFound
} from "../../../schema/Problems.ts"
import { RundownLine } from "../../../schema/air/Rundown.ts"
import { OperatorAuth, RequiredRole } from "../auth/Authorization.ts"
import { describe } from "../Described.ts"
import { Reading } from "../RequestErrors.ts"
import { actorNameCharsMax, reasonCharsMax } from "../../../engine/rules/operations/limits.ts"
import { anyText, bodyOrNone, requiredText, idText, text } from "../Inputs.ts"
import { neededReason, reason } from "../OperatorReason.ts"
import { conditional, idempotency } from "../segments/Segments.ts"

const Rundown = Schema.Struct({
  revision: Schema.Int,
  held: Schema.Boolean,
  emergency: Schema.Boolean,
  onAir: Schema.NullOr(RundownLine),
  items: Schema.Array(RundownLine)
})

const success = Schema.Struct({ rundown: Rundown })

const command = <const Name extends string, const Path extends `/${string}`>(
  name: Name,
  path: Path,
  summary: string,
  description: string
) =>
  HttpApiEndpoint.post(name, path, {
    headers: conditional,
    payload: bodyOrNone({ reason }),
    success,
    error: [PreconditionFailed, Busy]
  })
    .annotate(RequiredRole, "producer")
    .annotateMerge(describe(summary, description))

/** The segment or track to air: exactly one of the two. */
const chosen = {
  segmentId: Schema.optionalKey(Schema.NullOr(idText)),
  trackId: Schema.optionalKey(Schema.NullOr(idText))
}
const chosenErrors = [
  MissingFields,
  InvalidField,
  NotFound,
  SegmentNotFound,
  TrackNotFound,
  PlayoutConflict,
  PreconditionFailed,
  Busy
] as const
const params = { id: anyText }

/** Operators' commands on the programme, and their views of it. */
export const PlayoutApi = HttpApiGroup.make("playout")
  .add(
    HttpApiEndpoint.get("rundown", "/api/ops/rundown", { success, error: [Busy] }).annotateMerge(
      describe(
        "Read the rundown",
        "The item on the air and the items after it, with the rule that chose each. The ETag is its version: a command that sends it as If-Match is refused with 412 when the rundown has changed since, and differences says how."
      )
    ),
    HttpApiEndpoint.get("meters", "/api/ops/playout/meters", {
      query: { lastEventId: Schema.optionalKey(anyText) },
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/event-stream" })),
      error: [Busy]
    }).annotateMerge(
      describe(
        "Stream the meters",
        "Server-sent events, ten a second, measured where the programme goes to the encoders: `{atSample, vuDb, momentaryLufs, shortTermLufs, integratedLufs, integratedSec, truePeakDbtp, maxTruePeakDbtp}`. vuDb is the RMS of left and right with the 300 ms of a VU meter, in dBFS; momentary and short-term loudness are over 400 ms and 3 s, integrated loudness and maxTruePeakDbtp over the item on the air (ITU-R BS.1770-4). null is silence, or not heard for long enough. heartbeat each 15 s. Listeners hear atSample later, by what their stream is behind."
      )
    ),
    HttpApiEndpoint.get("actors", "/api/ops/actors", {
      success: Schema.Struct({ actors: Schema.Array(ActorNode), mailboxes: Schema.Array(MailboxFigures) })
    }).annotateMerge(
      describe(
        "Read the actor tree",
        "actors are the supervised ones: state, start time and number of restarts. mailboxes gives for each kind of actor the waiting messages, the age of the oldest, the messages handled since the start, those that died, and the mean handling time."
      )
    ),
    HttpApiEndpoint.post("restartActor", "/api/ops/actors/restart", {
      headers: idempotency,
      payload: Schema.Struct({ name: requiredText(actorNameCharsMax), reason: neededReason }),
      success: Schema.Struct({ actor: ActorNode }),
      error: [MissingFields, NotFound, Busy]
    })
      .annotate(RequiredRole, "admin")
      .annotateMerge(
        describe(
          "Restart an actor",
          "Ends the current incarnation of a supervised actor; the next one begins at once, from stored state. The sound goes on. Answers the actor as it was.",
          { name: "Station/Clock", reason: "it missed the change of the hour" }
        )
      ),
    HttpApiEndpoint.post("skip", "/api/ops/playout/skip", {
      headers: conditional,
      payload: bodyOrNone({ itemId: Schema.optionalKey(Schema.NullOr(ItemId)), reason }),
      success,
      error: [PlayoutConflict, PreconditionFailed, Busy]
    })
      .annotate(RequiredRole, "producer")
      .annotateMerge(
        describe(
          "Skip the item on the air",
          "Fades the item on the air and begins the next one. With itemId, skips only if that item is still on the air. Refused during the emergency programme."
        )
      ),
    command(
      "hold",
      "/api/ops/playout/hold",
      "Hold contributions",
      "Contributions wait; only the station's own sound plays until resume."
    ),
    command("resume", "/api/ops/playout/resume", "Resume contributions", "Contributions air again."),
    command(
      "emergency",
      "/api/ops/playout/emergency",
      "Start the emergency programme",
      "Airs the emergency programme at once."
    ),
    command(
      "clearEmergency",
      "/api/ops/playout/emergency/clear",
      "End the emergency programme",
      "Ends the emergency programme and returns to the rundown."
    ),
    HttpApiEndpoint.post("insertNow", "/api/ops/playout/insert-now", {
      headers: conditional,
      payload: Schema.Struct({ ...chosen, reason }),
      success,
      error: chosenErrors
    })
      .annotate(RequiredRole, "producer")
      .annotateMerge(
        describe(
          "Air something now",
          "Fades the item on the air and begins this segment or track; the rest of the rundown follows."
        )
      ),
    HttpApiEndpoint.post("insert", "/api/ops/rundown/items", {
      headers: conditional,
      payload: Schema.Struct({ ...chosen, before: Schema.optionalKey(Schema.NullOr(ItemId)), reason }),
      success,
      error: chosenErrors
    })
      .annotate(RequiredRole, "producer")
      .annotateMerge(
        describe(
          "Insert into the rundown",
          "Inserts a segment or track before an item, or as the next one. It keeps its place when the rest is replanned."
        )
      ),
    HttpApiEndpoint.patch("edit", "/api/ops/rundown/items/:id", {
      params,
      headers: conditional,
      payload: Schema.Struct({
        ...chosen,
        before: Schema.optionalKey(Schema.NullOr(ItemId)),
        locked: Schema.optionalKey(Schema.Boolean),
        held: Schema.optionalKey(Schema.Boolean),
        reason
      }),
      success,
      error: chosenErrors
    })
      .annotate(RequiredRole, "producer")
      .annotateMerge(
        describe(
          "Change an item of the rundown",
          "Makes one change: before moves the item (null: next), locked fixes or frees its place, held keeps it off the air or releases it, segmentId or trackId replaces it. The item's trace keeps the reason. A moved part of a plan stays in the plan's order otherwise."
        )
      ),
    HttpApiEndpoint.delete("drop", "/api/ops/rundown/items/:id", {
      params,
      headers: conditional,
      query: { reason: Schema.optionalKey(text(reasonCharsMax)) },
      success,
      error: [NotFound, PreconditionFailed, Busy]
    })
      .annotate(RequiredRole, "producer")
      .annotateMerge(
        describe(
          "Remove from the rundown",
          "Removes an item that has not begun from the rundown. A segment returns to the queue: remove or hold the segment to keep it off the air. A part of a plan is also removed from that plan."
        )
      )
  )
  .middleware(Reading)
  .middleware(OperatorAuth)
  .annotateMerge(
    OpenApi.annotations({ title: "Playout", description: "Skip, hold, emergency; the rundown and the actors." })
  )
