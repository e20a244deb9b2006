import { Effect } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { applyReview, galleryCard, applyJudgement } from "../../engine/rules/agents/Gallery.ts"
import { GalleryAssets, GalleryAssetsWriter } from "../../engine/store/agents/GalleryAssets.ts"
import type { GalleryRecord } from "../../schema/agents/Gallery.ts"
import { askForReview, moveByState, noneOf, makeRemovable } from "../moderation/Reviews.ts"
import { Desk } from "./protocol/Desk.ts"
import { mediaUrl } from "../../engine/rules/sound/MediaUrl.ts"
import { galleryView } from "../../engine/rules/agents/GalleryView.ts"

type State = Pick<GalleryRecord, "status" | "statusReason" | "approvedAtMs">

const cardOf = (record: GalleryRecord, publicUrl: string) => galleryCard(record, mediaUrl(record.path, publicUrl))

/** Requests a review of a picture, in the transaction that changed its status. */
export const askAboutPicture = Effect.fnUntraced(function* (record: GalleryRecord) {
  yield* askForReview(cardOf(record, (yield* StationConfig).publicUrl))
})

/** Reviews of gallery pictures. An approved picture is public; the agent can read why one was rejected. */
export const galleryReview = makeRemovable({
  type: "gallery_asset",
  auditName: "subject",
  entity: Desk,
  key: "agent",
  find: Effect.fnUntraced(function* (id: string) {
    const record = yield* (yield* GalleryAssets).find(id)
    return record === null || record.status === "removed" || record.status === "uploading" ? null : record
  }),
  notFound: noneOf("picture"),
  agentOf: ({ agentId }) => agentId,
  card: (record, publicUrl) => ({ ...cardOf(record, publicUrl), status: "open" }),
  applyJudgement: ({ approvedAtMs, status }, { judgement, reason }) => {
    const to = applyJudgement(status, judgement)
    return to === null ? null : { status: to, statusReason: reason, approvedAtMs }
  },
  view: (record) => Effect.map(StationConfig, ({ publicUrl }) => ({ asset: galleryView(record, publicUrl) })),
  ...moveByState({
    state: ({ approvedAtMs, status, statusReason }: GalleryRecord): State => ({ status, statusReason, approvedAtMs }),
    statusOf: ({ status }) => status,
    applyVerdict: (state, { atMs, reason, status }) => {
      const to = applyReview(state.status, status)
      if (to === null || to === state.status) return to === null ? null : state
      return to === "ready"
        ? { status: to, statusReason: null, approvedAtMs: atMs }
        : { ...state, status: to, statusReason: reason }
    },
    move: Effect.fnUntraced(function* ({ id, isFeatured, status }: GalleryRecord, to: State) {
      // A hidden picture can't stay featured.
      const next = { ...to, isFeatured: isFeatured && to.status === "ready" }
      return (yield* (yield* GalleryAssetsWriter).change(id, [status], next)) !== null
    })
  })
})
