import { Clock, Effect, Layer } from "effect"
import { StationConfig } from "../engine/runtime/Config.ts"
import { checkDecision } from "../engine/rules/moderation/PeerReview.ts"
import { PeerCases } from "../engine/store/moderation/PeerCases.ts"
import { Reviews } from "../engine/store/moderation/Reviews.ts"
import type { AgentId, PeerCaseId, ReviewId } from "../schema/Ids.ts"
import type { SubjectType } from "../schema/moderation/Review.ts"
import { AgentNotActive, NotFound } from "../schema/Problems.ts"
import { galleryReview } from "./agents/GalleryReview.ts"
import { profileReview } from "./agents/ProfileReview.ts"
import { appealReview } from "./inbox/Inbox.ts"
import { callInReview, writeInReview } from "./listeners/MessageReview.ts"
import { chatReview } from "./listeners/RoomModeration.ts"
import { blogReview } from "./lore/BlogReview.ts"
import { loreReview } from "./lore/LoreReview.ts"
import {
  type Judge,
  type JudgedType,
  type JudgePeers,
  type PeerDecide,
  PlantedCase,
  ReviewRegistry
} from "./moderation/protocol.ts"
import { reportReview } from "./moderation/Reports.ts"
import type { Removable, Reviewable } from "./moderation/Reviews.ts"
import { submissionReview } from "./music/SubmissionReview.ts"
import { trackReview } from "./music/TrackReview.ts"
import { planReview } from "./programmes/PlanReview.ts"
import { topicReview } from "./programmes/TopicReview.ts"
import { segmentReview } from "./segments/SegmentReview.ts"
import { commentReview, postReview } from "./social/WritingReview.ts"

/** All reviewed types. A new type needs an entry here and in its entity's `reviewHandlers`. */
const types = {
  segment: segmentReview,
  track: trackReview,
  post: postReview,
  comment: commentReview,
  gallery_asset: galleryReview,
  write_in: writeInReview,
  call_in: callInReview,
  topic: topicReview,
  chat_message: chatReview,
  plan: planReview,
  profile: profileReview,
  appeal: appealReview,
  lore: loreReview,
  blog: blogReview,
  music_submission: submissionReview,
  report: reportReview
} satisfies { readonly [Type in SubjectType]: Reviewable<Type, unknown> } & {
  readonly [Type in JudgedType]: Removable<Type, unknown, unknown>
}
type Services = (typeof types)[JudgedType] extends infer Kind
  ? Kind extends Removable<JudgedType, unknown, infer R>
    ? R
    : never
  : never

export const ReviewRegistryLive = Layer.effect(
  ReviewRegistry,
  Effect.gen(function* () {
    const services = yield* Effect.context<Services | Effect.Services<ReturnType<typeof ownerOf>>>()
    const { stationSlug } = yield* StationConfig
    const reviews = yield* Reviews
    const findReviewable = Effect.fnUntraced(function* (reviewId: ReviewId) {
      const review = yield* reviews.find(reviewId)
      if (review === null) return yield* new NotFound({ detail: `There is no review ${reviewId}.` })
      return yield* ownerOf(review.subjectType, review.subjectId, review.agentId, stationSlug)
    })
    const judge = Effect.fnUntraced(function* (message: Judge & { readonly type: JudgedType }) {
      const type = types[message.type]
      const owner = yield* ownerOf(message.type, message.id, yield* type.agentOf(message.id), stationSlug)
      yield* owner.Judge(message)
      return yield* type.view(message.id)
    }, Effect.provideContext(services))
    const peers = yield* PeerCases
    const planted = yield* PlantedCase.client
    /** The entity that decides on a review, or on a planted case. */
    const ownerOfReview = Effect.fnUntraced(function* (reviewId: ReviewId) {
      const review = (yield* reviews.find(reviewId))!
      return yield* ownerOf(review.subjectType, review.subjectId, review.agentId, stationSlug)
    })
    const peerDecide = Effect.fnUntraced(function* (message: PeerDecide) {
      const { by, subjectId: id, subjectType: type } = message
      const seat = yield* peers.seat(by.agentId)
      if (seat === null) return yield* new AgentNotActive({ detail: "The agent has left." })
      const subject = yield* peers.subject(type, id, seat.ownerKey)
      const wasDecided = subject === null && (yield* peers.wasDecided(type, id, seat.ownerKey))
      const nowMs = yield* Clock.currentTimeMillis
      // What nobody may decide on has no mailbox.
      const { caseId, reviewId } = yield* Effect.fromResult(
        checkDecision({ type, id, seat, subject, wasDecided, nowMs })
      )
      return yield* reviewId === null
        ? planted(caseId!).PeerDecide(message)
        : Effect.flatMap(ownerOfReview(reviewId), (owner) => owner.PeerDecide(message))
    }, Effect.provideContext(services))
    const caseOwner = Effect.fnUntraced(function* (caseId: PeerCaseId) {
      const found = yield* peers.find(caseId)
      return found?.reviewId == null ? null : yield* ownerOfReview(found.reviewId)
    })
    const closePeerCase = Effect.fnUntraced(function* (caseId: PeerCaseId) {
      const owner = yield* caseOwner(caseId)
      return yield* owner === null ? planted(caseId).ClosePeerCase({ caseId }) : owner.ClosePeerCase({ caseId })
    }, Effect.provideContext(services))
    const judgePeers = Effect.fnUntraced(function* (message: JudgePeers) {
      const owner = yield* caseOwner(message.caseId)
      if (owner === null)
        return yield* new NotFound({ detail: `There is no case ${message.caseId} that peers decided.` })
      yield* owner.JudgePeers(message)
    }, Effect.provideContext(services))
    return ReviewRegistry.of({
      peerDecide,
      closePeerCase,
      judgePeers,
      decide: (message) =>
        Effect.provideContext(
          Effect.flatMap(findReviewable(message.reviewId), (owner) => owner.Decide(message)),
          services
        ),
      undo: (message) =>
        Effect.provideContext(
          Effect.flatMap(findReviewable(message.reviewId), (owner) => owner.UndoDecision(message)),
          services
        ),
      // Only the table knows the view and error of each type.
      judge: judge as ReviewRegistry["Service"]["judge"]
    })
  })
)
/** The entity that owns a subject; the station's own for a subject without an agent. */
const ownerOf = (type: SubjectType, id: string, agentId: AgentId | null, stationSlug: string) => {
  const { entity, key } = types[type]
  return Effect.map(entity.client, (client) =>
    client(key === "subject" ? id : key === "agent" ? (agentId ?? stationSlug) : stationSlug)
  )
}
