import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { GalleryAsset } from "../../../schema/agents/Gallery.ts"
import {
  Busy,
  InvalidField,
  NotFound,
  SegmentNotFound,
  SubjectConflict,
  TrackNotFound
} from "../../../schema/Problems.ts"
import { TakedownType } from "../../../schema/moderation/Review.ts"
import { MessageForOps } from "../../../schema/listeners/Message.ts"
import { Segment } from "../../../schema/segments/Segment.ts"
import { Comment, Post } from "../../../schema/social/Post.ts"
import { Topic } from "../../../schema/programmes/Topic.ts"
import { TrackCategory, TrackSource, TrackStatus } from "../../../schema/music/Track.ts"
import { Synthetic } from "../../../schema/Synthetic.ts"
import { titleCharsMax } from "../../../engine/rules/segments/limits.ts"
import { OperatorAuth, RequiredRole } from "../auth/Authorization.ts"
import { described } from "../Described.ts"
import { text } from "../Inputs.ts"
import { Reading } from "../RequestErrors.ts"
import { neededReason, reason } from "../OperatorReason.ts"
import { idempotency, limit } from "../segments/Segments.ts"

const Judged = Schema.Union([
  Schema.Struct({ segment: Segment }),
  Schema.Struct({ post: Post }),
  Schema.Struct({ comment: Comment }),
  Schema.Struct({ asset: GalleryAsset }),
  Schema.Struct({ message: MessageForOps }),
  Schema.Struct({ topic: Topic }),
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
      id: Schema.String
    },
    headers: idempotency,
    payload: Schema.Struct(fields),
    success: Judged,
    error: [NotFound, SegmentNotFound, TrackNotFound, SubjectConflict, Busy]
  })
    .annotate(RequiredRole, "reviewer")
    .annotateMerge(described(summary, description))

/** A track as operators see it, whatever became of it. */
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
  audioUrl: Schema.String,
  createdAt: Schema.String
})

/** What an operator may do with anything at any time, whatever was decided on it before. */
export const TakedownsApi = HttpApiGroup.make("subjects")
  .add(
    HttpApiEndpoint.get("tracks", "/api/ops/tracks", {
      query: {
        status: Schema.optionalKey(TrackStatus),
        q: Schema.optionalKey(text(titleCharsMax)),
        limit,
        cursor: Schema.optionalKey(Schema.String)
      },
      success: Schema.Struct({ tracks: Schema.Array(TrackForOps), nextCursor: Schema.optionalKey(Schema.String) }),
      error: [InvalidField]
    })
      .annotate(RequiredRole, "reviewer")
      .annotateMerge(
        described(
          "List the music",
          "All tracks in any state, newest first, also those taken down. q searches titles and artists."
        )
      ),
    judgement(
      "remove",
      "/api/ops/subjects/:type/:id/remove",
      { reason: neededReason },
      "Take down for good",
      "Takes it down for good: out of the queue and the rundown, off the air if it is being heard, and its copies, or the post or comment, out of sight; a topic is closed. What was heard stays in the as-run log."
    ),
    judgement(
      "hold",
      "/api/ops/subjects/:type/:id/hold",
      { reason: neededReason },
      "Set aside",
      "Sets it aside: it leaves the rundown, or its copies are hidden if it has aired, and a post or comment can't be read, until somebody releases it or decides on its review."
    ),
    judgement(
      "release",
      "/api/ops/subjects/:type/:id/release",
      { reason },
      "Release what is held",
      "Sets free what was held: back to the queue, the rotation, or to those who want to hear it again."
    )
  )
  .middleware(Reading)
  .middleware(OperatorAuth)
  .annotateMerge(OpenApi.annotations({ title: "Subjects", description: "Remove, hold, release; all tracks." }))
