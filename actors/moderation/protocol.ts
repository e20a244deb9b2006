import { Context, type Effect, Schema } from "effect"
import type { ClusterError } from "effect/cluster"
import { Rpc, type RpcClient } from "effect/rpc"
import type { GalleryAsset } from "../../schema/agents/Gallery.ts"
import { ReviewId } from "../../schema/Ids.ts"
import type { BlogEntryForOps } from "../../schema/lore/Blog.ts"
import type { ChatMessageForOps } from "../../schema/listeners/Chat.ts"
import type { MessageForOps } from "../../schema/listeners/Message.ts"
import { Judgement, Review, ReviewDecision, SubjectType } from "../../schema/moderation/Review.ts"
import type { SubmissionStatus } from "../../schema/music/MusicSubmission.ts"
import type { TrackStatus } from "../../schema/music/Track.ts"
import {
  NotFound,
  PreconditionFailed,
  ReviewConflict,
  SegmentNotFound,
  SubjectConflict,
  TrackNotFound
} from "../../schema/Problems.ts"
import type { Topic } from "../../schema/programmes/Topic.ts"
import type { Segment } from "../../schema/segments/Segment.ts"
import type { Comment, Post } from "../../schema/social/Post.ts"
import { act, seen } from "../runtime/protocol.ts"

const decided = { success: Review, error: Schema.Union([NotFound, ReviewConflict, PreconditionFailed]) }

/** Operators' decisions. Every entity that owns reviewed subjects handles these messages. A repeat changes nothing. */
export const reviewing = [
  Rpc.make("Decide", {
    payload: { reviewId: ReviewId, decision: ReviewDecision, note: Schema.NullOr(Schema.String), ...act, ...seen },
    ...decided
  }),
  Rpc.make("UndoDecision", { payload: { reviewId: ReviewId, ...act, ...seen }, ...decided }),
  /** Removes, holds or releases a subject, regardless of earlier decisions. */
  Rpc.make("Judge", {
    payload: { type: SubjectType, id: Schema.String, judgement: Judgement, ...act },
    success: Schema.Void,
    error: Schema.Union([NotFound, SegmentNotFound, TrackNotFound, SubjectConflict])
  })
] as const

type Message<Tag extends (typeof reviewing)[number]["_tag"]> = Rpc.Payload<
  Extract<(typeof reviewing)[number], { readonly _tag: Tag }>
>
export type Decide = Message<"Decide">
export type UndoDecision = Message<"UndoDecision">
export type Judge = Message<"Judge">

/** An error of the cluster's transport. */
export type Transport =
  | ClusterError.MailboxFull
  | ClusterError.AlreadyProcessingMessage
  | ClusterError.PersistenceError
  | ClusterError.EntityNotAssignedToRunner

/** Client of an entity that handles these messages. */
export type ReviewOwner = RpcClient.RpcClient.From<(typeof reviewing)[number], Transport>

/** The operators' view of each type of subject after a judgement. */
export interface SubjectViews {
  readonly segment: { readonly segment: Segment }
  readonly track: { readonly track: { readonly id: string; readonly approvalStatus: TrackStatus } }
  readonly post: { readonly post: Post }
  readonly comment: { readonly comment: Comment }
  readonly gallery_asset: { readonly asset: GalleryAsset }
  readonly write_in: { readonly message: MessageForOps }
  readonly call_in: { readonly message: MessageForOps }
  readonly topic: { readonly topic: Topic }
  readonly blog: { readonly entry: BlogEntryForOps }
  readonly music_submission: { readonly submission: { readonly id: string; readonly status: SubmissionStatus } }
  readonly chat_message: { readonly message: typeof ChatMessageForOps.Type }
}
export type JudgedType = keyof SubjectViews

type MissingOf<Type> = Type extends "segment" ? SegmentNotFound : Type extends "track" ? TrackNotFound : NotFound

/** Routes an operator's message to the entity that owns the subject. `actors/Reviewables.ts` lists the types and owners. */
export class ReviewRegistry extends Context.Service<
  ReviewRegistry,
  {
    readonly decide: (
      message: Decide
    ) => Effect.Effect<Review, NotFound | ReviewConflict | PreconditionFailed | Transport>
    readonly undo: (
      message: UndoDecision
    ) => Effect.Effect<Review, NotFound | ReviewConflict | PreconditionFailed | Transport>
    /** Answers the operators' view of the subject. */
    readonly judge: <Type extends JudgedType>(
      message: Judge & { readonly type: Type }
    ) => Effect.Effect<SubjectViews[Type], MissingOf<Type> | SubjectConflict | Transport>
  }
>()("longwave/actors/moderation/ReviewRegistry") {}
