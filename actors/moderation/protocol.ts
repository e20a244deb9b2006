import { Context, type Effect, Schema } from "effect"
import { type ClusterError, Entity } from "effect/cluster"
import { Rpc, type RpcClient } from "effect/rpc"
import type { GalleryAsset } from "../../schema/agents/Gallery.ts"
import { AgentId, PeerCaseId, ReviewId } from "../../schema/Ids.ts"
import type { BlogEntryForOps } from "../../schema/lore/Blog.ts"
import type { ChatMessageForOps } from "../../schema/listeners/Chat.ts"
import type { MessageForOps } from "../../schema/listeners/Message.ts"
import { PeerDecision, PeerReview, PeerSubjectType, PeerVerdict } from "../../schema/moderation/PeerReview.ts"
import { FlagCode, FlagSeverity } from "../../schema/moderation/Precheck.ts"
import { ReportDraft, ReportReceipt } from "../../schema/moderation/Report.ts"
import { Judgement, Review, ReviewDecision, SubjectType } from "../../schema/moderation/Review.ts"
import type { SubmissionStatus } from "../../schema/music/MusicSubmission.ts"
import type { TrackStatus } from "../../schema/music/Track.ts"
import {
  AdminOnlySubject,
  AgentNotActive,
  ContentRejected,
  InvalidField,
  MissingFields,
  NotFound,
  PeerModerationSubjectNotFound,
  PeerReviewAlreadySubmitted,
  PeerReviewNotGranted,
  PeerReviewScopeDenied,
  RateLimited,
  PreconditionFailed,
  ReviewConflict,
  SegmentNotFound,
  SelfReviewNotAllowed,
  SubjectConflict,
  TrackNotFound
} from "../../schema/Problems.ts"
import type { Topic } from "../../schema/programmes/Topic.ts"
import type { Segment } from "../../schema/segments/Segment.ts"
import type { Comment, Post } from "../../schema/social/Post.ts"
import { Broadcaster } from "../../schema/segments/Submission.ts"
import { act, jobKind, seen } from "../runtime/protocol.ts"

const decided = { success: Review, error: Schema.Union([NotFound, ReviewConflict, PreconditionFailed]) }

/** A reviewer's decision on a subject or a planted case. */
const peerDecide = Rpc.make("PeerDecide", {
  payload: {
    by: Broadcaster,
    subjectType: Schema.String,
    subjectId: Schema.String,
    decision: PeerDecision,
    reason: Schema.NullOr(Schema.String)
  },
  success: PeerReview,
  error: Schema.Union([
    AdminOnlySubject,
    AgentNotActive,
    ContentRejected,
    PeerModerationSubjectNotFound,
    PeerReviewAlreadySubmitted,
    PeerReviewNotGranted,
    PeerReviewScopeDenied,
    RateLimited,
    SelfReviewNotAllowed
  ])
})
/** Hands the case to the operators if its deadline has passed; answers the deadline if it hasn't. A repeat changes nothing. */
const closePeerCase = Rpc.make("ClosePeerCase", {
  payload: { caseId: PeerCaseId },
  success: Schema.NullOr(Schema.Finite)
})

/**
 * Operators' and peers' decisions. Every entity that owns reviewed subjects handles these messages, so that decisions on a subject come one
 * after the other. A repeat changes nothing.
 */
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
  }),
  peerDecide,
  closePeerCase,
  /** The operators' verdict on what peers decided: the same confirms it, the other overturns it. */
  Rpc.make("JudgePeers", {
    payload: { caseId: PeerCaseId, verdict: PeerVerdict, ...act },
    success: Schema.Void,
    error: Schema.Union([NotFound, SubjectConflict, ReviewConflict])
  })
] as const

/** Cases with a known answer, which measure reviewers. Keyed by case, or by the station for one that is planted. */
export const PlantedCase = Entity.make("PlantedCase", [
  Rpc.make("Plant", {
    payload: {
      subjectType: PeerSubjectType,
      authorId: Schema.NullOr(AgentId),
      title: Schema.NullOr(Schema.String),
      body: Schema.String,
      /** Null for those that the precheck raises. */
      flags: Schema.NullOr(Schema.Array(Schema.Struct({ code: FlagCode, severity: FlagSeverity }))),
      answer: PeerVerdict,
      ...act
    },
    success: PeerCaseId,
    error: InvalidField
  }),
  /** Takes a planted case back: its decisions measure nobody. */
  Rpc.make("Withdraw", { payload: { caseId: PeerCaseId, ...act }, success: Schema.Void, error: NotFound }),
  peerDecide,
  closePeerCase
])

/** Reports of a listener. */
export const audienceReports = [
  Rpc.make("Report", {
    payload: { draft: ReportDraft },
    success: ReportReceipt,
    error: Schema.Union([MissingFields, NotFound, RateLimited])
  })
] as const

/** Reports of one thing, decided together. Keyed by case. */
export const Report = Entity.make("Report", [...reviewing])

/** Mails the outcome of a case to its reporters. */
export const TellReporters = jobKind("moderation.tell_reporters", Schema.Struct({ caseId: Schema.String }))

/** Hands a case to the operators at its deadline. */
export const ClosePeerCase = jobKind("moderation.close_peer_case", Schema.Struct({ caseId: PeerCaseId }))

type Message<Tag extends (typeof reviewing)[number]["_tag"]> = Rpc.Payload<
  Extract<(typeof reviewing)[number], { readonly _tag: Tag }>
>
export type Decide = Message<"Decide">
export type UndoDecision = Message<"UndoDecision">
export type Judge = Message<"Judge">
export type PeerDecide = Message<"PeerDecide">
export type JudgePeers = Message<"JudgePeers">
type PeerRefusal = Rpc.Error<typeof peerDecide>

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
    readonly peerDecide: (message: PeerDecide) => Effect.Effect<PeerReview, PeerRefusal | Transport>
    readonly closePeerCase: (caseId: PeerCaseId) => Effect.Effect<number | null, Transport>
    readonly judgePeers: (
      message: JudgePeers
    ) => Effect.Effect<void, NotFound | SubjectConflict | ReviewConflict | Transport>
  }
>()("longwave/actors/moderation/ReviewRegistry") {}
