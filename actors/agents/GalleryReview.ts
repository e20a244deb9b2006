import { Clock, Effect } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { judgedAs } from "../../engine/rules/agents/Gallery.ts"
import { GalleryAssets, galleryView } from "../../engine/store/agents/GalleryAssets.ts"
import type { ReviewRecord } from "../../engine/store/moderation.ts"
import { mediaUrl } from "../../engine/store/sql/StationFacts.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { GalleryRecord, GalleryStatus } from "../../schema/agents/Gallery.ts"
import type { AgentId } from "../../schema/Ids.ts"
import { NotFound, ReviewConflict, SubjectConflict } from "../../schema/Problems.ts"
import type { Judgement, ReviewStatus } from "../../schema/moderation/Review.ts"
import { type Act, record } from "../runtime/audit.ts"
import { askForReview, withdrawReview } from "../moderation/Reviews.ts"

type Before = Pick<GalleryRecord, "status" | "statusReason" | "approvedAtMs">

const judgeable: ReadonlyArray<GalleryStatus> = ["pending_review", "ready", "rejected"]

const found = Effect.fnUntraced(function* (id: string) {
  const record = yield* (yield* GalleryAssets).find(id)
  return record === null || !judgeable.includes(record.status)
    ? yield* new ReviewConflict({ detail: "The agent deleted the picture." })
    : record
})

/** As the station's people see it in their queue: where it is to be looked at, and all that stands beside it. */
export const askAboutPicture = Effect.fnUntraced(function* ({
  agentId,
  altText,
  caption,
  fileName,
  flags,
  id,
  path,
  source
}: GalleryRecord) {
  const { publicUrl } = yield* StationConfig
  yield* askForReview({
    kind: "gallery",
    type: "gallery_asset",
    id,
    agentId,
    flags,
    escalated: false,
    title: caption || fileName,
    body: [
      `picture: ${mediaUrl(path, publicUrl) ?? "–"}`,
      `caption: ${caption}`,
      `alternative text: ${altText}`,
      `source: ${[source?.kind, source?.url, source?.note].filter((word) => (word ?? "") !== "").join(" ")}`
    ].join("\n")
  })
})

/** Carries out an operator's decision on a picture, at any time and whatever was decided before. */
export const judge = Effect.fnUntraced(function* (agentId: AgentId, assetId: string, judgement: Judgement, act: Act) {
  const assets = yield* GalleryAssets
  const { publicUrl } = yield* StationConfig
  const before = yield* assets.find(assetId)
  if (before === null || before.agentId !== agentId || before.status === "removed" || before.status === "uploading")
    return yield* new NotFound({ detail: `There is no picture ${assetId}.` })
  const status = judgedAs(before.status, judgement)
  if (status === null)
    return yield* new SubjectConflict({ detail: `It is ${before.status}; this decision is not possible.` })
  if (status === before.status) return galleryView(before, publicUrl)
  return yield* (yield* Transaction).run(
    Effect.gen(function* () {
      const after = yield* assets.change(assetId, [before.status], {
        status,
        statusReason: act.reason,
        isFeatured: before.isFeatured && status === "ready"
      })
      if (after === null) return yield* new SubjectConflict({ detail: "It changed at the same moment. Read it again." })
      yield* status === "pending_review"
        ? askAboutPicture(after)
        : withdrawReview("gallery_asset", assetId, `judged: ${judgement}`)
      yield* record(
        act,
        `subject.${judgement}`,
        { type: "gallery_asset", id: assetId },
        { status: before.status },
        { status }
      )
      return galleryView(after, publicUrl)
    })
  )
})

/** What follows from a decision on a picture: approved it is shown, refused its agent reads why. */
export const galleryFollowing = {
  apply: Effect.fnUntraced(function* (review: ReviewRecord, status: ReviewStatus, reason: string | null) {
    const { approvedAtMs, id, status: was, statusReason } = yield* found(review.subjectId)
    const before: Before = { status: was, statusReason, approvedAtMs }
    if (status === "held" || status === "escalated") return { before, after: { status } }
    const after: Before =
      status === "approved"
        ? { status: "ready", statusReason: null, approvedAtMs: yield* Clock.currentTimeMillis }
        : { status: "rejected", statusReason: reason, approvedAtMs }
    yield* (yield* GalleryAssets).change(id, judgeable, after)
    return { before, after }
  }),
  restore: Effect.fnUntraced(function* (review: ReviewRecord, kept: unknown) {
    const before = kept as Before
    const { id } = yield* found(review.subjectId)
    // A picture that is under review again is not public, so it can't stay featured.
    yield* (yield* GalleryAssets).change(id, judgeable, { ...before, isFeatured: false })
    return before
  })
}
