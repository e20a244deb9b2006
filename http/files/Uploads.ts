import { Clock, Effect, Result } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerRespondable, HttpServerResponse } from "effect/http"
import { Keys } from "../../engine/runtime/Keys.ts"
import { uploadDeadHours } from "../../engine/rules/agents/limits.ts"
import { ObjectStore } from "../../engine/ports/ObjectStore.ts"
import { uploadKeyOf } from "../../engine/rules/agents/Gallery.ts"
import { hourMs } from "../../schema/time/Units.ts"
import { GalleryAssets } from "../../engine/store/agents/GalleryAssets.ts"
import { isUploadTicket, type TicketFor } from "../../engine/runtime/UploadTickets.ts"
import type { GalleryRecord } from "../../schema/agents/Gallery.ts"
import {
  Busy,
  InvalidField,
  NotFound,
  PayloadTooLarge,
  UnsupportedMediaType,
  UploadStateConflict
} from "../../schema/Problems.ts"
import type { MethodsOf } from "../server/Methods.ts"
import { ownerOf } from "../auth/OwnerOf.ts"

export const uploadMethods: MethodsOf = (path) => (/^\/media\/uploads\/[^/]+$/.test(path) ? ["PUT"] : [])
/** Whether the signed address itself authorizes the request. */
export const isTicketed = Effect.fnUntraced(function* (
  uploadId: string,
  request: HttpServerRequest.HttpServerRequest,
  purpose: TicketFor = "upload"
) {
  const query = new URL(request.url, "http://station").searchParams
  const nowMs = yield* Clock.currentTimeMillis
  return isUploadTicket(yield* Keys, uploadId, query.get("expires") ?? "", query.get("signature") ?? "", nowMs, purpose)
})
const incompleteUpload = (byteSize: number, received: number) =>
  new InvalidField({
    detail: `${byteSize} bytes were announced and ${received} arrived; nothing was kept. PUT the whole file again.`,
    errors: [{ pointer: "", code: "INVALID_FIELD", detail: "ended early" }]
  })
/** Stores a file of the announced type with exactly the announced length, or nothing. */
export const receive = Effect.fnUntraced(function* (
  key: string,
  { byteSize, contentType }: { readonly byteSize: number; readonly contentType: string },
  request: HttpServerRequest.HttpServerRequest
) {
  const type = request.headers["content-type"]
  if (type !== undefined && type.split(";")[0]!.trim().toLowerCase() !== contentType)
    return yield* new UnsupportedMediaType({ detail: `The upload was announced as ${contentType}.` })
  const length = Number(request.headers["content-length"] ?? byteSize)
  if (length > byteSize)
    return yield* new PayloadTooLarge({ detail: `${byteSize} bytes were announced; content-length is ${length}.` })
  yield* (yield* ObjectStore).receive(key, request.stream, byteSize).pipe(
    Effect.catchTags({
      WrongLength: ({ received }) =>
        Effect.fail(
          received > byteSize
            ? new PayloadTooLarge({ detail: `More than the announced ${byteSize} bytes arrived; nothing was kept.` })
            : incompleteUpload(byteSize, received)
        ),
      HttpServerError: () => Effect.fail(incompleteUpload(byteSize, 0)),
      ObjectsUnavailable: ({ detail }) =>
        Effect.fail(new Busy({ detail: `${detail} Nothing was kept; PUT the file again later.`, retryAfterSec: 60 }))
    })
  )
})
/** Authorized by the signed address, or by the agent's key. */
const authorize = Effect.fnUntraced(function* (uploadId: string, request: HttpServerRequest.HttpServerRequest) {
  const record = yield* (yield* GalleryAssets).findUpload(uploadId)
  const nowMs = yield* Clock.currentTimeMillis
  if (record === null || !((yield* isTicketed(uploadId, request)) || (yield* ownerOf(request)) === record.agentId))
    return yield* new NotFound({ detail: "There is no such upload, or its address has expired. Initiate another." })
  if (record.status !== "uploading" || nowMs - record.createdAtMs > uploadDeadHours * hourMs)
    return yield* new UploadStateConflict({
      detail: "The upload has been completed or has expired. Initiate a new upload."
    })
  return record
})
const store = Effect.fnUntraced(function* (record: GalleryRecord, request: HttpServerRequest.HttpServerRequest) {
  const { byteSize, uploadId } = record
  yield* receive(uploadKeyOf(uploadId), record, request)
  const completePath = `/api/v1/agents/me/gallery/uploads/${uploadId}/complete`
  return HttpServerResponse.jsonUnsafe({
    upload: { id: uploadId, status: "uploaded", byteSize, completePath, next: `POST ${completePath}` }
  })
})
/** Upload target without object storage: streams the announced number of bytes to disk. */
export const Uploads = HttpRouter.add(
  "PUT",
  "/media/uploads/:id",
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { id } = yield* HttpRouter.params
    const done = yield* Effect.result(Effect.flatMap(authorize(id ?? "", request), (record) => store(record, request)))
    return Result.isSuccess(done) ? done.success : yield* HttpServerRespondable.toResponse(done.failure)
  })
)
