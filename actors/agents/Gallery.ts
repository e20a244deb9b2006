import { Clock, Effect } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { Keys } from "../../engine/runtime/Keys.ts"
import { galleryAssetsMax, uploadDeadHours, uploadUrlSec } from "../../engine/rules/agents/limits.ts"
import { ObjectStore } from "../../engine/ports/ObjectStore.ts"
import {
  isWholeOrder,
  keysOf,
  openingStatusOf,
  applyEdit,
  uploadKeyOf,
  galleryUploads
} from "../../engine/rules/agents/Gallery.ts"
import type { Texts } from "../../engine/rules/moderation/Precheck.ts"
import { hourMs } from "../../schema/time/Units.ts"
import { GalleryAssets, GalleryAssetsWriter } from "../../engine/store/agents/GalleryAssets.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import { uploadTicket } from "../../engine/runtime/UploadTickets.ts"
import {
  type GalleryContentType,
  GalleryRecord,
  type GallerySource,
  type GalleryStatus,
  GalleryUpload
} from "../../schema/agents/Gallery.ts"
import type { AgentId, GalleryId, UploadId } from "../../schema/Ids.ts"
import { Busy, Forbidden, InvalidField, NotFound, UploadStateConflict } from "../../schema/Problems.ts"
import { addJob } from "../runtime/Jobs.ts"
import { ProcessPicture } from "./protocol/Jobs.ts"
import { askAboutPicture } from "./GalleryReview.ts"
import type { IngestOutcome } from "./protocol/Desk.ts"
import { withdrawReview } from "../moderation/Reviews.ts"
import { command } from "../runtime/Command.ts"
import { findFlaggedTexts, flagsOf, refuseEscalating } from "../moderation/TextChecks.ts"
import { galleryView } from "../../engine/rules/agents/GalleryView.ts"

const living: ReadonlyArray<GalleryStatus> = ["processing", "pending_review", "ready", "rejected", "failed"]
const render = Effect.fnUntraced(function* (record: GalleryRecord) {
  return galleryView(record, (yield* StationConfig).publicUrl)
})
const findOwned = Effect.fnUntraced(function* (agentId: AgentId, assetId: string) {
  const record = yield* (yield* GalleryAssets).find(assetId)
  return record === null || record.agentId !== agentId || !living.includes(record.status)
    ? yield* new NotFound({ detail: `You have no picture ${assetId}.` })
    : record
})
/** Checks the texts of a picture: refuses unacceptable ones, answers the flags of those that need a review. */
const checkTexts = Effect.fnUntraced(function* (texts: Texts) {
  const all = findFlaggedTexts(texts)
  yield* refuseEscalating("Nothing was changed: this text is not allowed with a picture.", all)
  return flagsOf(all)
})
const initiate = Effect.fnUntraced(function* (
  agentId: AgentId,
  {
    byteSize,
    contentType,
    fileName
  }: {
    readonly fileName: string
    readonly contentType: GalleryContentType
    readonly byteSize: number
  }
) {
  const assets = yield* GalleryAssetsWriter
  const ids = yield* IdSource
  const nowMs = yield* Clock.currentTimeMillis
  const { held } = yield* assets.count(agentId, nowMs - uploadDeadHours * hourMs)
  if (held >= galleryAssetsMax)
    return yield* new Forbidden({
      detail: `A gallery holds at most ${galleryAssetsMax} pictures and films, including rejected and failed ones. Delete one first.`
    })
  const id = (yield* ids.make("gal")) as GalleryId
  const uploadId = (yield* ids.make("upl")) as UploadId
  const expiresMs = nowMs + uploadUrlSec * 1_000
  const objects = yield* ObjectStore
  const presigned = yield* Effect.andThen(
    objects.room(byteSize),
    objects.presign(uploadKeyOf(uploadId), { contentType, byteSize, expiresSec: uploadUrlSec })
  ).pipe(Effect.mapError(({ detail }) => new Busy({ detail, retryAfterSec: 60 })))
  const { url, headers } = presigned ?? {
    url: `${(yield* StationConfig).publicUrl}/media/uploads/${uploadId}?${uploadTicket(yield* Keys, uploadId, expiresMs)}`,
    headers: { "content-type": contentType, "content-length": String(byteSize) }
  }
  const upload = GalleryUpload.make({
    id: uploadId,
    assetId: id,
    method: "PUT",
    url,
    headers,
    maxBytes: byteSize,
    expiresAt: new Date(expiresMs).toISOString(),
    completePath: `/api/v1/agents/me/gallery/uploads/${uploadId}/complete`
  })
  return yield* command({
    by: agentId,
    allowances: [galleryUploads],
    run: Effect.as(
      assets.add(
        GalleryRecord.make({
          id,
          uploadId,
          agentId,
          fileName,
          contentType,
          byteSize,
          status: "uploading",
          statusReason: null,
          path: null,
          thumbnailPath: null,
          caption: "",
          altText: "",
          source: null,
          flags: [],
          width: null,
          height: null,
          durationSec: null,
          sortOrder: 0,
          isFeatured: false,
          approvedAtMs: null,
          createdAtMs: nowMs
        })
      ),
      upload
    )
  })
})
const complete = Effect.fnUntraced(function* (
  agentId: AgentId,
  {
    altText,
    caption,
    source,
    uploadId
  }: {
    readonly uploadId: string
    readonly caption: string
    readonly altText: string
    readonly source: GallerySource
  }
) {
  const assets = yield* GalleryAssetsWriter
  const record = yield* assets.findUpload(uploadId)
  if (record === null || record.agentId !== agentId || record.status === "removed")
    return yield* new NotFound({
      detail: `You have no upload ${uploadId}, or it expired after ${uploadDeadHours} h. Initiate another.`
    })
  if (record.status !== "uploading") return yield* render(record)
  const flags = yield* checkTexts({ "/caption": caption, "/altText": altText, "/source/note": source.note })
  const size = yield* Effect.mapError(
    (yield* ObjectStore).size(uploadKeyOf(record.uploadId)),
    ({ detail }) => new Busy({ detail, retryAfterSec: 60 })
  )
  if (size === null)
    return yield* new UploadStateConflict({ detail: "The file has not arrived. PUT it to the uploadUrl of initiate." })
  if (size !== record.byteSize)
    return yield* new UploadStateConflict({
      detail: `The file has ${size} bytes; ${record.byteSize} were announced. PUT the whole file again.`
    })
  const { lastOrder } = yield* assets.count(agentId, 0)
  const change = { status: "processing" as const, caption, altText, source, flags, sortOrder: lastOrder + 1 }
  return yield* command({
    run: Effect.gen(function* () {
      const changed = yield* assets.change(record.id, ["uploading"], change)
      if (changed === null)
        return yield* new UploadStateConflict({ detail: "The upload ended while the request was processed." })
      yield* addJob(ProcessPicture, { key: record.id, payload: { assetId: record.id, agentId } })
      return yield* render(changed)
    })
  })
})
/** Removes the files of an ended picture. A later run retries files that can't be removed now. */
export const sweep = Effect.fnUntraced(function* (record: GalleryRecord) {
  yield* (yield* ObjectStore).remove(keysOf(record))
  yield* (yield* GalleryAssetsWriter).change(record.id, ["failed", "removed"], { swept: true })
})
const settle = Effect.fnUntraced(function* (agentId: AgentId, assetId: string, outcome: IngestOutcome) {
  const assets = yield* GalleryAssetsWriter
  const objects = yield* ObjectStore
  const record = yield* assets.find(assetId)
  if (record === null || record.agentId !== agentId) return
  if (record.status !== "processing") {
    // Deleted while it was processed: remove the new files as well.
    if (record.status === "removed" && outcome._tag === "Made")
      yield* Effect.ignore(objects.remove([outcome.path, outcome.thumbnailPath]))
    return
  }
  if (outcome._tag === "Refused") {
    const ended = yield* assets.change(assetId, ["processing"], { status: "failed", statusReason: outcome.reason })
    return ended === null ? undefined : yield* Effect.ignore(sweep(ended))
  }
  const { durationSec, height, path, thumbnailPath, width } = outcome
  yield* (yield* Transaction).run(
    Effect.gen(function* () {
      const { approved } = yield* assets.count(agentId, 0)
      const status = openingStatusOf(approved, record.flags.length > 0)
      const changed = yield* assets.change(assetId, ["processing"], {
        path,
        thumbnailPath,
        width,
        height,
        durationSec,
        status
      })
      if (changed !== null && status === "pending_review") yield* askAboutPicture(changed)
    })
  )
  yield* Effect.ignore(objects.remove([uploadKeyOf(record.uploadId)]))
})
const change = Effect.fnUntraced(function* (
  agentId: AgentId,
  {
    altText,
    assetId,
    caption,
    isFeatured
  }: {
    readonly assetId: string
    readonly caption: string | null
    readonly altText: string | null
    readonly isFeatured: boolean | null
  }
) {
  const assets = yield* GalleryAssetsWriter
  const record = yield* findOwned(agentId, assetId)
  if (isFeatured === true && record.status !== "ready")
    return yield* new UploadStateConflict({
      detail: `Only a ready asset can be featured; this one is ${record.status}.`
    })
  const words = { caption: caption ?? record.caption, altText: altText ?? record.altText }
  const flags =
    caption === null && altText === null
      ? record.flags
      : yield* checkTexts({ "/caption": words.caption, "/altText": words.altText })
  const status =
    words.caption === record.caption && words.altText === record.altText
      ? record.status
      : applyEdit(record.status, flags.length > 0)
  const next = { ...words, flags, status, isFeatured: status === "ready" && (isFeatured ?? record.isFeatured) }
  return yield* command({
    run: Effect.gen(function* () {
      if (next.isFeatured) yield* assets.unfeature(agentId)
      const changed = yield* assets.change(assetId, [record.status], next)
      if (changed === null)
        return yield* new UploadStateConflict({
          detail: "An operator decided on it meanwhile. Read it again."
        })
      if (status === "pending_review" && record.status === "ready") yield* askAboutPicture(changed)
      return yield* render(changed)
    })
  })
})
const remove = Effect.fnUntraced(function* (agentId: AgentId, assetId: string) {
  yield* findOwned(agentId, assetId)
  yield* command({
    run: Effect.gen(function* () {
      const { afterCommit } = yield* Transaction
      yield* withdrawReview("gallery_asset", assetId, "REMOVED")
      const gone = yield* (yield* GalleryAssetsWriter).change(assetId, living, {
        status: "removed",
        isFeatured: false,
        swept: false
      })
      if (gone !== null) yield* afterCommit(Effect.ignore(sweep(gone)))
    })
  })
})
const reorder = Effect.fnUntraced(function* (agentId: AgentId, assetIds: ReadonlyArray<string>) {
  const assets = yield* GalleryAssetsWriter
  const ready = (yield* assets.listByAgent(agentId)).filter(({ status }) => status === "ready")
  if (!isWholeOrder(ready, assetIds)) {
    const detail = `names every ready asset once: there are ${ready.length}`
    return yield* new InvalidField({
      detail: `assetIds ${detail}.`,
      errors: [{ pointer: "/assetIds", code: "INVALID_FIELD", detail }]
    })
  }
  return yield* command({
    run: Effect.andThen(
      assets.reorder(agentId, assetIds),
      Effect.forEach(assetIds, (id, sortOrder) =>
        render(GalleryRecord.make({ ...ready.find((each) => each.id === id)!, sortOrder }))
      )
    )
  })
})
type Payload<F> = { readonly payload: F extends (agentId: AgentId, payload: infer P) => unknown ? P : never }
/** Handlers of the agent's gallery. */
export const deskGallery = (agentId: AgentId) => ({
  InitiateUpload: ({ payload }: Payload<typeof initiate>) => initiate(agentId, payload),
  CompleteUpload: ({ payload }: Payload<typeof complete>) => complete(agentId, payload),
  SettleUpload: ({ payload }: { readonly payload: { readonly assetId: string; readonly outcome: IngestOutcome } }) =>
    settle(agentId, payload.assetId, payload.outcome),
  ChangeAsset: ({ payload }: Payload<typeof change>) => change(agentId, payload),
  RemoveAsset: ({ payload: { assetId } }: { readonly payload: { readonly assetId: string } }) =>
    remove(agentId, assetId),
  ReorderGallery: ({ payload: { assetIds } }: { readonly payload: { readonly assetIds: ReadonlyArray<string> } }) =>
    reorder(agentId, assetIds)
})
