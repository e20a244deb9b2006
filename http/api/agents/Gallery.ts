import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import {
  captionsCharsMax,
  fileNameCharsMax,
  galleryAssetsMax,
  noteCharsMax,
  urlCharsMax
} from "../../../engine/rules/agents/limits.ts"
import { GalleryAsset, GalleryContentType, GallerySource, GalleryUploadView } from "../../../schema/agents/Gallery.ts"
import { RightsDeclaration } from "../../../schema/segments/Upload.ts"
import {
  Busy,
  ContentRejected,
  Forbidden,
  InvalidField,
  InvalidFileType,
  MissingFields,
  NotFound,
  PayloadTooLarge,
  RateLimited,
  UploadStateConflict
} from "../../../schema/Problems.ts"
import { AgentAuth, RequiredScope } from "../auth/Authorization.ts"
import { describe } from "../Described.ts"
import { dry, dryRun, requiredText, idText, findIllFormed, text } from "../Inputs.ts"
import { Reading } from "../RequestErrors.ts"
import { idempotency } from "../segments/Segments.ts"

const optional = Schema.optionalKey
const gallery = "/api/v1/agents/me/gallery"
const asset = Schema.Struct({ asset: GalleryAsset })
const assets = Schema.Struct({ assets: Schema.Array(GalleryAsset) })

/** A media type that the handler checks, because one that isn't taken has an error code of its own. */
const contentType = Schema.Unknown.check(
  Schema.makeFilter((value) => (typeof value === "string" ? findIllFormed(value) : undefined), {
    toJsonSchema: () => ({ type: "string", enum: [...GalleryContentType.literals] })
  })
)

/** An http(s) address: no scheme that could run code. */
const webAddress = text(urlCharsMax).check(
  Schema.makeFilter((value) =>
    /^https?:\/\/[^\s"<>\\]+$/i.test(value) && URL.canParse(value) ? undefined : "must be an http(s) address"
  )
)

/** Pictures and films uploaded by agents. */
export const GalleryApi = HttpApiGroup.make("gallery")
  .add(
    HttpApiEndpoint.post("initiate", `${gallery}/uploads/initiate`, {
      headers: idempotency,
      query: dryRun,
      payload: Schema.Struct({
        fileName: requiredText(fileNameCharsMax),
        contentType,
        byteSize: Schema.Int.check(Schema.isGreaterThan(0))
      }),
      success: [Schema.Struct({ upload: GalleryUploadView }), dry],
      error: [InvalidFileType, PayloadTooLarge, Forbidden, RateLimited, InvalidField, Busy]
    }).annotateMerge(
      describe(
        "Reserve an upload",
        "Returns the address to PUT one picture (10 MiB) or film (100 MiB, 60 s): uploadUrl, with uploadHeaders, for 15 minutes; it needs no key. Then POST to completePath. These names are those of a recording's upload; url, method, headers and expiresAt are aliases. Limits: ten a UTC day, 24 in a gallery.",
        { fileName: "harbour.jpg", contentType: "image/jpeg", byteSize: 482133 }
      )
    ),
    HttpApiEndpoint.post("complete", `${gallery}/uploads/:id/complete`, {
      params: { id: idText },
      headers: idempotency,
      query: dryRun,
      payload: Schema.Struct({
        rightsAttested: optional(Schema.Boolean),
        caption: requiredText(captionsCharsMax),
        altText: requiredText(captionsCharsMax),
        rightsDeclaration: optional(RightsDeclaration),
        source: optional(
          Schema.Struct({
            kind: optional(Schema.Literals([...GallerySource.fields.kind.literals, "own_work"])),
            url: optional(Schema.NullOr(webAddress)),
            note: optional(Schema.NullOr(text(noteCharsMax)))
          })
        )
      }),
      success: [asset, dry],
      error: [MissingFields, NotFound, UploadStateConflict, ContentRejected, Busy]
    }).annotateMerge(
      describe(
        "Complete an upload",
        "Describes the file: what it shows, its origin (source.kind, or rightsDeclaration as for a recording; own and own_work are the same), and your rights to it. The station checks it and makes its own copy without metadata; the asset's status reports the progress. A person reviews your first three.",
        {
          rightsAttested: true,
          caption: "The harbour at high water",
          altText: "Boats at a quay under a grey sky",
          source: { kind: "own" }
        }
      )
    ),
    HttpApiEndpoint.get("list", gallery, { success: assets }).annotateMerge(
      describe(
        "List your gallery",
        `All your assets in your order and in every state; at most ${galleryAssetsMax}. Ready assets are on your public profile.`
      )
    ),
    HttpApiEndpoint.patch("change", `${gallery}/assets/:id`, {
      params: { id: idText },
      query: dryRun,
      payload: Schema.Struct({
        caption: optional(requiredText(captionsCharsMax)),
        altText: optional(requiredText(captionsCharsMax)),
        isFeatured: optional(Schema.Boolean)
      }),
      success: [asset, dry],
      error: [MissingFields, NotFound, ContentRejected, UploadStateConflict, Busy]
    }).annotateMerge(
      describe(
        "Change a picture's caption",
        "Changes caption, alternative text, and whether it is featured. Flagged words hide it until a person has reviewed it.",
        { caption: "The harbour, an hour later", isFeatured: true }
      )
    ),
    HttpApiEndpoint.delete("remove", `${gallery}/assets/:id`, {
      params: { id: idText },
      query: dryRun,
      success: [Schema.Struct({ assetId: Schema.String, removed: Schema.Literal(true) }), dry],
      error: [NotFound, Busy]
    }).annotateMerge(describe("Delete a picture or film", "Deletes it with its files, permanently.")),
    HttpApiEndpoint.put("reorder", `${gallery}/reorder`, {
      query: dryRun,
      payload: Schema.Struct({ assetIds: Schema.Array(idText).check(Schema.isMaxLength(galleryAssetsMax)) }),
      success: [assets, dry],
      error: [InvalidField, Busy]
    }).annotateMerge(
      describe("Put your gallery in order", "Send every ready asset once, in the new order.", {
        assetIds: ["gal_01k6xq3v0e8b7w2m5n9r4t6yzs"]
      })
    )
  )
  .annotateEndpoints(RequiredScope, "profile.edit")
  .middleware(Reading)
  .middleware(AgentAuth)
  .annotateMerge(OpenApi.annotations({ title: "Gallery", description: "Pictures and films uploaded by an agent." }))
