import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ActorNode, MailboxFigures, ProcessFigures } from "../../../schema/ActorTree.ts"
import { Figure } from "../../../schema/operations/Figure.ts"
import { ItemId } from "../../../schema/Ids.ts"
import {
  Busy,
  InvalidField,
  MissingFields,
  NotFound,
  PlayoutConflict,
  PreconditionFailed,
  SegmentNotFound,
  TrackNotFound,
  UnsupportedMediaType
} from "../../../schema/Problems.ts"
import { LiveEnd, LiveState } from "../../../schema/air/Live.ts"
import { liveTitleCharsMax } from "../../../engine/rules/air/limits.ts"
import { RundownLine } from "../../../schema/air/Rundown.ts"
import { OperatorAuth, RequiredRole } from "../auth/Authorization.ts"
import { describe } from "../Described.ts"
import { Reading } from "../RequestErrors.ts"
import { actorNameCharsMax, reasonCharsMax } from "../../../engine/rules/operations/limits.ts"
import { anyText, bodyOrNone, dry, dryRun, requiredText, idText, text } from "../Inputs.ts"
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
/** With dryRun, the rundown as the command would make it. */
const changed = [success, dry] as const

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

/** A command that can be tried without effect. */
const tryable = <const Name extends string, const Path extends `/${string}`>(
  name: Name,
  path: Path,
  summary: string,
  description: string
) =>
  HttpApiEndpoint.post(name, path, {
    headers: conditional,
    query: dryRun,
    payload: bodyOrNone({ reason }),
    success: changed,
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
    HttpApiEndpoint.get("metrics", "/api/ops/metrics", {
      success: Schema.Struct({ metrics: Schema.Array(Figure) })
    }).annotateMerge(
      describe(
        "Read the figures",
        "Every measurement of the station by its name: counters since the start, gauges, and of histograms the mean and how often they were measured. GET /metrics has the same for Prometheus, with the buckets."
      )
    ),
    HttpApiEndpoint.get("actors", "/api/ops/actors", {
      success: Schema.Struct({
        actors: Schema.Array(ActorNode),
        mailboxes: Schema.Array(MailboxFigures),
        processes: Schema.Array(ProcessFigures)
      })
    }).annotateMerge(
      describe(
        "Read the actor tree",
        "actors are the supervised ones: state, start time and number of restarts, of the process that answers and, for those that it doesn't run, of another process of the station. mailboxes gives for each kind of actor the waiting messages, the age of the oldest, the messages handled since the start, those that died, and the mean handling time, in the process that answers. processes lists all processes of a station that runs in several: which has the air and why, and how many actors each has in memory; otherwise it is empty. standby tells of a process that follows the one with the air: lagMs is how far it is behind the clock, isReady whether it could take the air without a gap."
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
          "Ends the current incarnation of a supervised actor in each process that runs it; the next one begins at once, from stored state. The sound goes on. Answers the actor as it was.",
          { name: "Station/Clock", reason: "it missed the change of the hour" }
        )
      ),
    HttpApiEndpoint.post("skip", "/api/ops/playout/skip", {
      headers: conditional,
      query: dryRun,
      payload: bodyOrNone({ itemId: Schema.optionalKey(Schema.NullOr(ItemId)), reason }),
      success: changed,
      error: [PlayoutConflict, PreconditionFailed, Busy]
    })
      .annotate(RequiredRole, "producer")
      .annotateMerge(
        describe(
          "Skip the item on the air",
          "Fades the item on the air and begins the next one. With itemId, skips only if that item is still on the air. Refused during the emergency programme."
        )
      ),
    tryable(
      "hold",
      "/api/ops/playout/hold",
      "Hold contributions",
      "Contributions wait; only the station's own sound plays until resume."
    ),
    tryable("resume", "/api/ops/playout/resume", "Resume contributions", "Contributions air again."),
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
    HttpApiEndpoint.get("live", "/api/ops/playout/live", {
      success: Schema.Struct({ live: LiveState })
    }).annotateMerge(
      describe(
        "Read the live sound",
        "state is off, waiting (the air is taken, and nothing has come), connected (sound comes, and nobody has taken the air for it) or on_air. gainDb is what brings it to the loudness of the programme."
      )
    ),
    HttpApiEndpoint.post("takeLive", "/api/ops/playout/take-live", {
      headers: idempotency,
      payload: bodyOrNone({
        title: Schema.optionalKey(Schema.NullOr(text(liveTitleCharsMax))),
        isSynthetic: Schema.optionalKey(Schema.Boolean),
        reason
      }),
      success: Schema.Struct({ live: LiveState }),
      error: [PlayoutConflict, Busy]
    })
      .annotate(RequiredRole, "producer")
      .annotateMerge(
        describe(
          "Take the air for live sound",
          "What PUT /api/ops/playout/live brings is heard within 500 ms, under this title (default Live); the item on the air fades. If nothing has come yet, the rundown goes on until it does, for 30 s at most. isSynthetic marks it as made by machines. Refused during an emergency, and while another operator has the air. GET /api/ops/rundown keeps planning; its items wait.",
          { title: "The mayor, live from the harbour", reason: "the storm" }
        )
      ),
    HttpApiEndpoint.post("releaseLive", "/api/ops/playout/release-live", {
      headers: idempotency,
      payload: bodyOrNone({ reason }),
      success: Schema.Struct({ live: LiveState }),
      error: [Busy]
    })
      .annotate(RequiredRole, "producer")
      .annotateMerge(
        describe(
          "Release the air",
          "The next item of the rundown begins within 500 ms. The connection stays, unheard. A repeat changes nothing."
        )
      ),
    HttpApiEndpoint.post("insertNow", "/api/ops/playout/insert-now", {
      headers: conditional,
      query: dryRun,
      payload: Schema.Struct({ ...chosen, reason }),
      success: changed,
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
      query: dryRun,
      payload: Schema.Struct({ ...chosen, before: Schema.optionalKey(Schema.NullOr(ItemId)), reason }),
      success: changed,
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
      query: dryRun,
      success: changed,
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
      query: { ...dryRun, reason: Schema.optionalKey(text(reasonCharsMax)) },
      success: changed,
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

/** Live sound, as bytes. */
export const LiveSoundApi = HttpApiGroup.make("liveSound")
  .add(
    HttpApiEndpoint.put("sendLive", "/api/ops/playout/live", {
      query: { reason: Schema.optionalKey(text(reasonCharsMax)) },
      payload: HttpApiSchema.StreamUint8Array(),
      success: Schema.Struct({ ended: LiveEnd }),
      error: [UnsupportedMediaType, InvalidField, PlayoutConflict, Busy]
    })
      .annotate(RequiredRole, "producer")
      .annotateMerge(
        describe(
          "Send live sound",
          "A WAV (audio/wav) or MP3 (audio/mpeg), as long as it lasts: chunked, up to four hours. It is heard while the air is taken; otherwise it passes unheard in its own time. A file that arrives faster than it plays is held back. After 2 s without data, or 15 s of silence, the rundown goes on and the answer says why it ended: finished, no_data, silence, too_slow, too_long, unreadable, or replaced by a later connection. While another operator's sound is on the air, a connection is refused. Levels come to those of the programme by themselves, and the as-run log has a row with the title."
        )
      )
  )
  .middleware(Reading)
  .middleware(OperatorAuth)
  .annotateMerge(OpenApi.annotations({ title: "Live sound", description: "Sound from a studio, for the air." }))
