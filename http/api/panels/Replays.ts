import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { clipSec } from "../../../engine/rules/panels/limits.ts"
import { titleCharsMax } from "../../../engine/rules/segments/limits.ts"
import {
  Busy,
  InvalidField,
  MissingFields,
  NotFound,
  SegmentNotFound,
  SubjectConflict
} from "../../../schema/Problems.ts"
import { ClipForOps, ClipView, ListedReplay, ReplayForOps, ReplayView } from "../../../schema/panels/Replay.ts"
import { additive } from "../Additive.ts"
import { OperatorAuth, RequiredRole } from "../auth/Authorization.ts"
import { describe } from "../Described.ts"
import { anyText, dry, dryRun, requiredText, idText } from "../Inputs.ts"
import { Reading } from "../RequestErrors.ts"
import { reason } from "../OperatorReason.ts"
import { idempotency, limit } from "../segments/Segments.ts"

const optional = Schema.optionalKey
const listing = { query: { showSlug: optional(idText), limit, cursor: optional(anyText) }, error: [InvalidField] }
const params = { id: anyText }
const webVtt = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/vtt" }))

/** Recordings and clips of panels, without removed and held ones. */
export const ReplaysApi = HttpApiGroup.make("replays")
  .add(
    HttpApiEndpoint.get("clips", "/api/clips", {
      ...listing,
      success: Schema.Struct({ clips: Schema.Array(ClipView), nextCursor: optional(Schema.String) })
    }).annotateMerge(
      describe(
        "List clips",
        `Excerpts of aired panels, ${clipSec[0]} to ${clipSec[1]} seconds long, newest first. One clip of each panel is chosen by rule: its two most-liked turns, or two from the middle if nobody reacted. showSlug lists the clips of one show.`
      )
    ),
    HttpApiEndpoint.get("replays", "/api/replays", {
      ...listing,
      success: Schema.Struct({ replays: Schema.Array(ListedReplay), nextCursor: optional(Schema.String) })
    }).annotateMerge(
      describe(
        "List recordings of panels",
        "Complete panels as they aired, newest first, without transcripts; read a recording for its transcript. hlsUrl is null until the recording is packaged, shortly after it is published. Also available as podcasts: /podcast.xml, and /shows/{slug}/podcast.xml for one show."
      )
    ),
    HttpApiEndpoint.get("replay", "/api/replays/:id", {
      params,
      success: Schema.Struct({ replay: ReplayView }),
      error: [NotFound]
    }).annotateMerge(
      describe(
        "Read a recording",
        "One panel with its participants and every turn in order: the script, and the time at which it starts."
      )
    ),
    HttpApiEndpoint.get("transcript", "/api/replays/:id/transcript.vtt", { params, success: webVtt, error: [NotFound] })
      .annotateMerge(additive)
      .annotateMerge(describe("Read the captions of a recording", "WebVTT by sentence, each with its speaker's name.")),
    HttpApiEndpoint.get("chapters", "/api/replays/:id/chapters.json", {
      params,
      error: [NotFound],
      success: Schema.Struct({
        version: Schema.Literal("1.2.0"),
        title: Schema.String,
        podcastName: Schema.String,
        chapters: Schema.Array(
          Schema.Struct({ startTime: Schema.Finite, endTime: Schema.Finite, title: Schema.String })
        )
      }).pipe(HttpApiSchema.asJson({ contentType: "application/json+chapters" }))
    })
      .annotateMerge(additive)
      .annotateMerge(describe("Read the chapters of a recording", "Podcast chapters (JSON chapters 1.2)."))
  )
  .middleware(Reading)
  .annotateMerge(OpenApi.annotations({ title: "Replays", description: "Recordings and clips of panels." }))

const clip = [Schema.Struct({ clip: ClipForOps }), dry] as const
const seconds = (from: number, to: number) => Schema.Finite.check(Schema.isBetween({ minimum: from, maximum: to }))

/** Operators' commands on recordings. */
export const ReplaysForOpsApi = HttpApiGroup.make("replaysForOps")
  .add(
    HttpApiEndpoint.get("opsClips", "/api/ops/clips", {
      ...listing,
      success: Schema.Struct({ clips: Schema.Array(ClipForOps), nextCursor: optional(Schema.String) })
    }).annotateMerge(describe("List all clips", "Also unfinished, failed and hidden ones.")),
    HttpApiEndpoint.get("opsReplays", "/api/ops/replays", {
      ...listing,
      success: Schema.Struct({ replays: Schema.Array(ReplayForOps), nextCursor: optional(Schema.String) })
    }).annotateMerge(describe("List all recordings", "Also hidden, held and unreviewed ones.")),
    HttpApiEndpoint.post("makeClip", "/api/ops/clips", {
      headers: idempotency,
      query: dryRun,
      payload: Schema.Struct({
        replayId: optional(Schema.NullOr(idText)),
        segmentId: optional(Schema.NullOr(idText)),
        startSec: seconds(0, 86_400),
        durationSec: seconds(...clipSec),
        title: requiredText(titleCharsMax),
        reason
      }),
      success: clip,
      error: [MissingFields, InvalidField, NotFound, SegmentNotFound, SubjectConflict, Busy]
    })
      .annotate(RequiredRole, "producer")
      .annotateMerge(
        describe(
          "Make a clip",
          "Cuts an excerpt from a recording or segment that has aired and is not held. It is published when its sound is ready, usually within seconds.",
          {
            replayId: "rep_01kaz0000000000000000000aa",
            startSec: 42,
            durationSec: 30,
            title: "On quiet harbours",
            reason: "For the newsletter."
          }
        )
      ),
    HttpApiEndpoint.patch("changeClip", "/api/ops/clips/:id", {
      params,
      headers: idempotency,
      query: dryRun,
      payload: Schema.Struct({
        title: optional(requiredText(titleCharsMax)),
        hidden: optional(Schema.Boolean),
        reason
      }),
      success: clip,
      error: [MissingFields, NotFound, Busy]
    })
      .annotate(RequiredRole, "producer")
      .annotateMerge(
        describe("Rename or hide a clip", "Changes its title; hidden hides or shows it with its sound.", {
          hidden: true,
          reason: "Requested by its host."
        })
      ),
    HttpApiEndpoint.patch("changeReplay", "/api/ops/replays/:id", {
      params,
      headers: idempotency,
      query: dryRun,
      payload: Schema.Struct({ hidden: Schema.Boolean, reason }),
      success: [Schema.Struct({ replay: ReplayForOps }), dry],
      error: [NotFound, Busy]
    })
      .annotate(RequiredRole, "producer")
      .annotateMerge(
        describe(
          "Hide or show a recording",
          "Its sound, transcript, clips and feed entries are hidden or shown with it. The as-run log is unchanged.",
          { hidden: true, reason: "Requested by its host." }
        )
      )
  )
  .middleware(Reading)
  .middleware(OperatorAuth)
  .annotateMerge(OpenApi.annotations({ title: "Replays", description: "Make, rename and hide recordings and clips." }))
