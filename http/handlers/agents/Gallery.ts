import { Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Desk } from "../../../actors/agents/protocol/Desk.ts"
import { bytesMaxOf, galleryUploads } from "../../../engine/rules/agents/Gallery.ts"
import { GalleryAssets } from "../../../engine/store/agents/GalleryAssets.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import { notOneOf } from "../../../schema/Problem.ts"
import { InvalidFileType, MissingFields, PayloadTooLarge } from "../../../schema/Problems.ts"
import { GalleryContentType, GallerySource, GalleryUploadView } from "../../../schema/agents/Gallery.ts"
import { Api } from "../../api/Api.ts"
import { CurrentAgent } from "../../api/auth/Authorization.ts"
import { isDry } from "../../api/Inputs.ts"
import { send } from "../../Send.ts"
import { previewAnswer } from "../Commands.ts"
import { readAllowances, answerWithQuotas } from "../Quotas.ts"
import { galleryView } from "../../../engine/rules/agents/GalleryView.ts"

const payloadTooLarge = (contentType: string) =>
  new PayloadTooLarge({
    detail: `A file of ${contentType} can have at most ${bytesMaxOf(contentType)} bytes.`,
    errors: [{ pointer: "/byteSize", code: "PAYLOAD_TOO_LARGE", detail: `must be at most ${bytesMaxOf(contentType)}` }]
  })
const notTaken = new InvalidFileType({
  detail: `A gallery takes ${GalleryContentType.literals.join(", ")}.`,
  errors: [notOneOf("/contentType", "INVALID_FILE_TYPE", GalleryContentType.literals)]
})
const isTaken = Schema.is(GalleryContentType)
const notAttested = new MissingFields({
  detail: "rightsAttested must be true: upload only pictures and films that you have the rights to.",
  errors: [{ pointer: "/rightsAttested", code: "MISSING_FIELDS", detail: "must be true" }]
})
const noSource = new MissingFields({
  detail: "source.kind is required: the origin of the file.",
  errors: [notOneOf("/source/kind", "MISSING_FIELDS", GallerySource.fields.kind.literals)]
})
const nothingSent = new MissingFields({
  detail: "Send at least one field to change.",
  errors: ["caption", "altText", "isFeatured"].map((field) => ({
    pointer: `/${field}`,
    code: "MISSING_FIELDS",
    detail: "or another of these is required"
  }))
})
export const GalleryHandlers = HttpApiBuilder.group(
  Api,
  "gallery",
  Effect.fnUntraced(function* (handlers) {
    const client = yield* Desk.client
    const ownDesk = Effect.map(CurrentAgent, ({ agent }) => client(agent.id))
    return handlers.handleAll({
      initiate: Effect.fnUntraced(function* ({ payload, query }) {
        const { byteSize, contentType, fileName } = payload
        if (!isTaken(contentType)) return yield* notTaken
        if (byteSize > bytesMaxOf(contentType)) return yield* payloadTooLarge(contentType)
        const { id } = (yield* CurrentAgent).agent
        const upload = yield* send((yield* ownDesk).InitiateUpload({ fileName, contentType, byteSize })).pipe(
          answerWithQuotas(readAllowances([galleryUploads], id))
        )
        return isDry(query)
          ? previewAnswer({ assetId: upload.assetId, maxBytes: upload.maxBytes, expiresAt: upload.expiresAt }, 200)
          : {
              upload: GalleryUploadView.make({
                ...upload,
                uploadUrl: upload.url,
                uploadMethod: upload.method,
                uploadHeaders: upload.headers,
                uploadExpiresAt: upload.expiresAt
              })
            }
      }),
      complete: Effect.fnUntraced(function* ({ params, payload, query }) {
        if (payload.rightsAttested !== true) return yield* notAttested
        const { altText, caption, rightsDeclaration, source = {} } = payload
        const { kind = rightsDeclaration, note, url } = source
        if (kind === undefined) return yield* noSource
        const asset = yield* send(
          (yield* ownDesk).CompleteUpload({
            uploadId: params.id,
            caption,
            altText,
            source: { kind: kind === "own_work" ? "own" : kind, url: url ?? null, note: note ?? null }
          })
        )
        return isDry(query) ? previewAnswer(asset, 200) : { asset }
      }),
      list: Effect.fnUntraced(function* () {
        const { publicUrl } = yield* StationFacts
        const records = yield* (yield* GalleryAssets).listByAgent((yield* CurrentAgent).agent.id)
        return { assets: records.map((record) => galleryView(record, publicUrl)) }
      }),
      change: Effect.fnUntraced(function* ({ params, payload, query }) {
        if (Object.keys(payload).length === 0) return yield* nothingSent
        const { altText = null, caption = null, isFeatured = null } = payload
        const asset = yield* send((yield* ownDesk).ChangeAsset({ assetId: params.id, caption, altText, isFeatured }))
        return isDry(query) ? previewAnswer(asset, 200) : { asset }
      }),
      remove: Effect.fnUntraced(function* ({ params, query }) {
        yield* send((yield* ownDesk).RemoveAsset({ assetId: params.id }))
        return isDry(query)
          ? previewAnswer({ assetId: params.id, removed: true }, 200)
          : { assetId: params.id, removed: true as const }
      }),
      reorder: Effect.fnUntraced(function* ({ payload, query }) {
        const assets = yield* send((yield* ownDesk).ReorderGallery({ assetIds: payload.assetIds }))
        return isDry(query) ? previewAnswer(assets, 200) : { assets }
      })
    })
  })
)
