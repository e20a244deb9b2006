import { Clock, Effect, Layer, Redacted } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerRespondable, HttpServerResponse } from "effect/http"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { Keys } from "../../engine/runtime/Keys.ts"
import { uploadUrlSec } from "../../engine/rules/agents/limits.ts"
import { mediaUploadDeadHours, sampleUrlSec } from "../../engine/rules/segments/limits.ts"
import { ObjectStore } from "../../engine/ports/ObjectStore.ts"
import { Prepare } from "../../engine/ports/Prepare.ts"
import { incomingKeyOf, sampleKeyOf } from "../../engine/ports/UploadSound.ts"
import { publishFields, publishGate, canTakeFile } from "../../engine/rules/segments/Upload.ts"
import { hourMs } from "../../schema/time/Units.ts"
import { Uploads } from "../../engine/store/segments/Uploads.ts"
import { SoundAccess } from "../../engine/store/sound/SoundAccess.ts"
import { uploadTicket } from "../../engine/runtime/UploadTickets.ts"
import { type AgentId, UploadId } from "../../schema/Ids.ts"
import { MediaUpload, type UploadRecord } from "../../schema/segments/Upload.ts"
import { Busy, NotFound } from "../../schema/Problems.ts"
import { makeAgentGate } from "../auth/AgentGate.ts"
import { Hearer, Hearers, MediaFiles, UploadAuth, UploadBy } from "../api/segments/UploadFiles.ts"
import { publicHeaders, serveFile } from "./MediaAudio.ts"
import { serveObject } from "./MediaPictures.ts"
import { readOnly } from "../server/Methods.ts"
import { operatorOf } from "../auth/OperatorOf.ts"
import { makeAgentOf } from "../auth/ReaderGuard.ts"
import { isTicketed, receive } from "./Uploads.ts"
import { iso } from "../../schema/time/Instant.ts"

const notFound = () => HttpServerRespondable.toResponse(new NotFound({ detail: "There is no such recording." }))
const nowhere = { url: null, headers: {}, expiresAt: null }
const addressOf = Effect.fnUntraced(
  function* (record: UploadRecord) {
    const nowMs = yield* Clock.currentTimeMillis
    if (!canTakeFile(record, nowMs)) return nowhere
    const { byteSize, contentType, createdAtMs, id } = record
    const expiresMs = Math.min(nowMs + uploadUrlSec * 1_000, createdAtMs + mediaUploadDeadHours * hourMs)
    const presigned = yield* (yield* ObjectStore).presign(incomingKeyOf(id), {
      contentType,
      byteSize,
      expiresSec: Math.max(1, Math.floor((expiresMs - nowMs) / 1_000))
    })
    const { headers, url } = presigned ?? {
      url: `${(yield* StationConfig).publicUrl}/api/v1/media/uploads/${id}/blob?${uploadTicket(yield* Keys, id, expiresMs)}`,
      headers: { "content-type": contentType, "content-length": String(byteSize) }
    }
    return { url, headers, expiresAt: iso(expiresMs) }
  },
  Effect.mapError(({ detail }) => new Busy({ detail, retryAfterSec: 60 }))
)
const view = Effect.fnUntraced(function* (record: UploadRecord) {
  const { assetId: _a, agentId: _b, createdAtMs, facts: _d, failures: _c, ...shown } = record
  const { expiresAt, headers, url } = yield* addressOf(record)
  return MediaUpload.make({
    ...shown,
    uploadUrl: url,
    uploadMethod: "PUT",
    uploadHeaders: headers,
    uploadExpiresAt: expiresAt,
    maxBytes: record.byteSize,
    completePath: `/api/v1/media/uploads/${record.id}/complete`,
    publishGate: publishGate(record),
    acceptedPublishFields: [...publishFields(record.purpose)],
    createdAt: iso(createdAtMs)
  })
})
/** Public if it has aired or was approved. */
const isEverybodys = Effect.fnUntraced(function* ({ assetId, id }: UploadRecord) {
  const [reach, isApproved] = yield* Effect.all(
    [assetId === null ? Effect.succeed(null) : (yield* SoundAccess).reach(assetId), (yield* Uploads).isApproved(id)],
    { concurrency: "unbounded" }
  )
  return reach?.everybody === true || isApproved
})
const findHeard = Effect.fnUntraced(function* (
  id: string,
  agentId: AgentId | null,
  request: HttpServerRequest.HttpServerRequest
) {
  const record = yield* (yield* Uploads).find(id)
  if (record === null) return yield* notFound()
  const isOwn = agentId === record.agentId
  if (record.purpose === "sample") {
    if (!isOwn || record.status !== "qc_passed") return yield* notFound()
    const expiresMs = (yield* Clock.currentTimeMillis) + sampleUrlSec * 1_000
    return HttpServerResponse.redirect(
      `/media/samples/${record.id}.mp3?${uploadTicket(yield* Keys, record.id, expiresMs, "sample")}`,
      { headers: { "cache-control": "no-store" } }
    )
  }
  if (record.assetId === null) return yield* notFound()
  const everybody = yield* isEverybodys(record)
  if (!everybody && !isOwn && (yield* operatorOf(request)) === null) return yield* notFound()
  return yield* serveFile(
    (yield* Prepare).listeningCopyOf(record.assetId),
    everybody ? publicHeaders(300) : { "cache-control": "no-store" }
  ).pipe(Effect.provideService(HttpServerRequest.HttpServerRequest, request))
})
/** Private samples, for clients that were redirected here within the last minute. */
export const SampleAudio = HttpRouter.add(
  "GET",
  "/media/samples/:file",
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { file } = yield* HttpRouter.params
    const id = /^(upl_[0-9a-z]{26})\.mp3$/.exec(file ?? "")?.[1]
    if (id === undefined || !(yield* isTicketed(id, request, "sample")) || (yield* (yield* Uploads).find(id)) === null)
      return yield* notFound()
    return yield* serveObject(sampleKeyOf(UploadId.make(id)), "no-store")
  })
)
export const sampleMethods = readOnly([/^\/media\/samples\/[^/]+$/])
export const MediaFilesLive = Layer.effect(
  MediaFiles,
  Effect.gen(function* () {
    const context = yield* Effect.context<
      Effect.Services<ReturnType<typeof view>> | Effect.Services<ReturnType<typeof findHeard>>
    >()
    return MediaFiles.of({
      view: (record) => Effect.provideContext(view(record), context),
      receive: (record, request) => Effect.provideContext(receive(incomingKeyOf(record.id), record, request), context),
      copyOf: (id, request) =>
        Effect.flatMap(Prepare, (prepare) =>
          serveFile(prepare.listeningCopyOf(id), { "cache-control": "no-store" })
        ).pipe(Effect.provideService(HttpServerRequest.HttpServerRequest, request), Effect.provideContext(context)),
      findHeard: (id, agentId, request) => Effect.provideContext(findHeard(id, agentId, request), context)
    })
  })
)
/** The signed address replaces the key, so that the uploader needn't have it. */
export const UploadAuthLive = Layer.effect(
  UploadAuth,
  Effect.gen(function* () {
    const admitted = yield* makeAgentGate
    const keys = yield* Keys
    return UploadAuth.of({
      agentKey: Effect.fnUntraced(function* (httpEffect, { credential }) {
        const request = yield* HttpServerRequest.HttpServerRequest
        const { id } = yield* HttpRouter.params
        const ticketed =
          request.headers["authorization"] === undefined &&
          (yield* Effect.provideService(isTicketed(id ?? "", request), Keys, keys))
        return yield* Effect.provideService(httpEffect, UploadBy, {
          agent: ticketed ? null : yield* admitted(Redacted.value(credential), request)
        })
      })
    })
  })
)
export const HearersLive = Layer.effect(
  Hearers,
  Effect.gen(function* () {
    const agentOf = yield* makeAgentOf
    return Hearers.of(
      Effect.fnUntraced(function* (httpEffect) {
        const request = yield* HttpServerRequest.HttpServerRequest
        return yield* Effect.provideService(httpEffect, Hearer, {
          agentId: yield* agentOf(request.headers["authorization"])
        })
      })
    )
  })
)
