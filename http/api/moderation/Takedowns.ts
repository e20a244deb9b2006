import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { GalleryAsset } from "../../../schema/agents/Gallery.ts"
import {
  Busy,
  InvalidField,
  InvalidFileType,
  MissingFields,
  NotFound,
  PayloadTooLarge,
  PreconditionFailed,
  SegmentNotFound,
  SubjectConflict,
  TrackNotFound,
  TrackTooShort,
  UnsupportedMediaType
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
  coverFetchMaxBytes,
  lyricsCharsMax,
  musicBpmMax,
  musicBpmMin,
  trackArtistCharsMax,
  trackDescriptionCharsMax,
  trackFieldsMaxBytes,
  trackWordCharsMax
} from "../../../engine/rules/music/limits.ts"
import { mp3MaxBytes, syntheticDisclosureCharsMax, titleCharsMax } from "../../../engine/rules/segments/limits.ts"
import { reasonCharsMax } from "../../../engine/rules/operations/limits.ts"
import { RightsDeclaration } from "../../../schema/segments/Upload.ts"
import { Multipart } from "effect/http"
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

const trackForm = Schema.Struct({
  file: Multipart.SingleFileSchema,
  title: optional(text(titleCharsMax)),
  artist: optional(text(trackArtistCharsMax)),
  genre: Genre,
  mood: optional(Mood),
  category: optional(TrackCategory),
  rightsDeclaration: RightsDeclaration,
  syntheticDisclosure: optional(text(syntheticDisclosureCharsMax)),
  reason: optional(text(reasonCharsMax))
}).pipe(
  HttpApiSchema.asMultipart({
    maxParts: 12,
    maxFieldSize: 16_384,
    maxFileSize: mp3MaxBytes,
    maxTotalSize: mp3MaxBytes + trackFieldsMaxBytes
  })
)
const coverForm = Schema.Struct({
  file: Multipart.SingleFileSchema,
  reason: optional(text(reasonCharsMax))
}).pipe(
  HttpApiSchema.asMultipart({
    maxParts: 4,
    maxFieldSize: 4_096,
    maxFileSize: coverFetchMaxBytes,
    maxTotalSize: coverFetchMaxBytes + trackFieldsMaxBytes
  })
)

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
  coverUrl: Schema.NullOr(Schema.String),
  /** Whether it has a cover of its own; otherwise the station draws it. */
  hasOwnCover: Schema.Boolean,
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
    HttpApiEndpoint.post("addTrack", "/api/ops/tracks", {
      headers: idempotency,
      payload: trackForm,
      success: Schema.Struct({ track: TrackForOps }),
      error: [InvalidField, MissingFields, InvalidFileType, TrackTooShort, PayloadTooLarge, UnsupportedMediaType, Busy]
    })
      .annotate(RequiredRole, "producer")
      .annotateMerge(
        describe(
          "Add a track",
          "Send multipart/form-data with an MP3 or WAV as part file, at most 60 MiB and 30 to 900 s. It is measured and mastered while you wait and is in rotation at once: you answer for its rights. Title and artist are read from its tags where you leave them out, then from its name; lyrics, tempo, key and cover from the tags. A copy of a recording that the station has is refused."
        )
      ),
    HttpApiEndpoint.put("setCover", "/api/ops/tracks/:id/cover", {
      params: { id: anyText },
      headers: conditional,
      payload: coverForm,
      success: Schema.Struct({ track: TrackForOps }),
      error: [InvalidField, TrackNotFound, PreconditionFailed, PayloadTooLarge, UnsupportedMediaType, Busy]
    })
      .annotate(RequiredRole, "reviewer")
      .annotateMerge(
        describe("Change the cover of a track", "A JPEG, PNG or WebP as part file of a form. It is encoded anew.")
      ),
    HttpApiEndpoint.delete("removeCover", "/api/ops/tracks/:id/cover", {
      params: { id: anyText },
      headers: conditional,
      query: { reason: Schema.optionalKey(text(reasonCharsMax)) },
      success: Schema.Struct({ track: TrackForOps }),
      error: [TrackNotFound, PreconditionFailed, Busy]
    })
      .annotate(RequiredRole, "reviewer")
      .annotateMerge(describe("Remove the cover of a track", "The station draws its cover again.")),
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
