import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { GalleryAsset } from "../../../schema/agents/Gallery.ts"
import {
  Busy,
  InvalidField,
  MissingFields,
  NotFound,
  PreconditionFailed,
  SegmentNotFound,
  SubjectConflict,
  TrackNotFound
} from "../../../schema/Problems.ts"
import { TakedownType } from "../../../schema/moderation/Review.ts"
import { BlogEntryForOps } from "../../../schema/lore/Blog.ts"
import { MessageForOps } from "../../../schema/listeners/Message.ts"
import { Segment } from "../../../schema/segments/Segment.ts"
import { Comment, Post } from "../../../schema/social/Post.ts"
import { Topic } from "../../../schema/programmes/Topic.ts"
import { SubmissionStatus } from "../../../schema/music/MusicSubmission.ts"
import { Genre, Mood, TrackCategory, TrackRotation, TrackSource, TrackStatus } from "../../../schema/music/Track.ts"
import { Synthetic } from "../../../schema/Synthetic.ts"
import { rotationWeightMax, rotationWeightMin } from "../../../engine/rules/air/limits.ts"
import {
  lyricsCharsMax,
  musicBpmMax,
  musicBpmMin,
  trackArtistCharsMax,
  trackDescriptionCharsMax,
  trackWordCharsMax
} from "../../../engine/rules/music/limits.ts"
import { titleCharsMax } from "../../../engine/rules/segments/limits.ts"
import { OperatorAuth, RequiredRole } from "../auth/Authorization.ts"
import { describe } from "../Described.ts"
import { anyText, dry, dryRun, requiredText, idText, text } from "../Inputs.ts"
import { Reading } from "../RequestErrors.ts"
import { neededReason, reason } from "../OperatorReason.ts"
import { conditional, idempotency, limit } from "../segments/Segments.ts"

const optional = Schema.optionalKey
const Judged = Schema.Union([
  Schema.Struct({ segment: Segment }),
  Schema.Struct({ post: Post }),
  Schema.Struct({ comment: Comment }),
  Schema.Struct({ asset: GalleryAsset }),
  Schema.Struct({ message: MessageForOps }),
  Schema.Struct({ topic: Topic }),
  Schema.Struct({ entry: BlogEntryForOps }),
  Schema.Struct({ submission: Schema.Struct({ id: Schema.String, status: SubmissionStatus }) }),
  Schema.Struct({ track: Schema.Struct({ id: Schema.String, approvalStatus: TrackStatus }) })
])

const judgement = <
  const Name extends string,
  const Path extends `/${string}`,
  const Fields extends Schema.Struct.Fields
>(
  name: Name,
  path: Path,
  fields: Fields,
  summary: string,
  description: string
) =>
  HttpApiEndpoint.post(name, path, {
    params: {
      type: TakedownType,
      id: anyText
    },
    headers: idempotency,
    payload: Schema.Struct(fields),
    success: Judged,
    error: [NotFound, SegmentNotFound, TrackNotFound, SubjectConflict, Busy]
  })
    .annotate(RequiredRole, "reviewer")
    .annotateMerge(describe(summary, description))

/** A track as operators see it, in any state. */
const TrackForOps = Schema.Struct({
  id: Schema.String,
  title: Schema.String,
  artist: Schema.String,
  genre: Schema.String,
  mood: Schema.NullOr(Schema.String),
  category: TrackCategory,
  source: TrackSource,
  agentId: Schema.NullOr(Schema.String),
  durationSec: Schema.Finite,
  approvalStatus: TrackStatus,
  approvalReason: Schema.NullOr(Schema.String),
  rotationClass: Schema.String,
  weight: Schema.Finite,
  playCount: Schema.Int,
  synthetic: Synthetic,
  lastPlayedAt: Schema.NullOr(Schema.String),
  description: Schema.NullOr(Schema.String),
  isInstrumental: Schema.Boolean,
  lyrics: Schema.NullOr(Schema.String),
  language: Schema.NullOr(Schema.String),
  bpm: Schema.NullOr(Schema.Finite),
  musicalKey: Schema.NullOr(Schema.String),
  /** Sent back as If-Match with a change. */
  version: Schema.String,
  audioUrl: Schema.String,
  createdAt: Schema.String
})

/** Remove, hold and release: possible at any time, whatever was decided before. */
export const TakedownsApi = HttpApiGroup.make("subjects")
  .add(
    HttpApiEndpoint.get("tracks", "/api/ops/tracks", {
      query: {
        status: Schema.optionalKey(TrackStatus),
        category: Schema.optionalKey(TrackCategory),
        source: Schema.optionalKey(TrackSource),
        agentId: Schema.optionalKey(idText),
        q: Schema.optionalKey(text(titleCharsMax)),
        limit,
        cursor: Schema.optionalKey(anyText)
      },
      success: Schema.Struct({ tracks: Schema.Array(TrackForOps), nextCursor: Schema.optionalKey(Schema.String) }),
      error: [InvalidField]
    })
      .annotate(RequiredRole, "reviewer")
      .annotateMerge(
        describe(
          "List the music",
          "All tracks in any state, newest first, including removed ones. q searches titles and artists; status, category, source and agentId filter."
        )
      ),
    HttpApiEndpoint.get("track", "/api/ops/tracks/:id", {
      params: { id: anyText },
      success: Schema.Struct({ track: TrackForOps, rotation: TrackRotation }),
      error: [TrackNotFound]
    })
      .annotate(RequiredRole, "reviewer")
      .annotateMerge(
        describe(
          "Read a track",
          "A track in any state, and why it plays as often as it does, in figures and sentences. The ETag is its version."
        )
      ),
    HttpApiEndpoint.patch("changeTrack", "/api/ops/tracks/:id", {
      params: { id: anyText },
      headers: conditional,
      query: dryRun,
      payload: Schema.Struct({
        title: optional(requiredText(titleCharsMax)),
        artist: optional(requiredText(trackArtistCharsMax)),
        genre: optional(Genre),
        mood: optional(Schema.NullOr(Mood)),
        category: optional(TrackCategory),
        description: optional(Schema.NullOr(text(trackDescriptionCharsMax))),
        isInstrumental: optional(Schema.Boolean),
        lyrics: optional(Schema.NullOr(text(lyricsCharsMax))),
        language: optional(Schema.NullOr(text(trackWordCharsMax))),
        bpm: optional(
          Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: musicBpmMin, maximum: musicBpmMax })))
        ),
        musicalKey: optional(Schema.NullOr(text(trackWordCharsMax))),
        weight: optional(
          Schema.Finite.check(Schema.isBetween({ minimum: rotationWeightMin, maximum: rotationWeightMax }))
        ),
        approvalStatus: optional(TrackStatus.pick(["approved", "held", "retired"])),
        reason
      }),
      success: [Schema.Struct({ track: TrackForOps }), dry],
      error: [InvalidField, MissingFields, TrackNotFound, SubjectConflict, PreconditionFailed, Busy]
    })
      .annotate(RequiredRole, "reviewer")
      .annotateMerge(
        describe(
          "Change a track",
          "Corrects its tags, its category or its weight (its time since the last play counts this many times). approvalStatus approved returns it to rotation, also after it was rejected or retired; held takes it out and opens a review; retired takes it out for good. Needs a reason when approvalStatus takes it out. With If-Match, refused with 412 when it has changed since.",
          { artist: "Harbour Lights", weight: 0.8, reason: "the name was misspelt" }
        )
      ),
    judgement(
      "remove",
      "/api/ops/subjects/:type/:id/remove",
      { reason: neededReason },
      "Remove permanently",
      "Removes the subject permanently: from the queue, the rundown and the air, and hides its copies. A post or comment is hidden; a topic is closed. The as-run log keeps the airing."
    ),
    judgement(
      "hold",
      "/api/ops/subjects/:type/:id/hold",
      { reason: neededReason },
      "Hold a subject",
      "Takes the subject out of the rundown, or hides its copies if it has aired. A post or comment is hidden. The hold lasts until an operator releases it or decides its review."
    ),
    judgement(
      "release",
      "/api/ops/subjects/:type/:id/release",
      { reason },
      "Release a held subject",
      "Returns a held subject to the queue or the rotation, or publishes its copies again."
    )
  )
  .middleware(Reading)
  .middleware(OperatorAuth)
  .annotateMerge(OpenApi.annotations({ title: "Subjects", description: "Remove, hold, release; all tracks." }))
