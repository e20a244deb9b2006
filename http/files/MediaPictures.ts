import { Effect, Result, Stream } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerRespondable, HttpServerResponse } from "effect/http"
import { type ByteRange, ObjectStore } from "../../engine/ports/ObjectStore.ts"
import { hasPicture } from "../../engine/rules/agents/Gallery.ts"
import { GalleryAssets } from "../../engine/store/agents/GalleryAssets.ts"
import { Busy, NotFound } from "../../schema/Problems.ts"
import { beyondEnd, rangeOf } from "./MediaAudio.ts"
import { readOnly } from "../server/Methods.ts"
import { operatorOf } from "../auth/OperatorOf.ts"
import { ownerOf } from "../auth/OwnerOf.ts"

const notFound = () => HttpServerRespondable.toResponse(new NotFound({ detail: "There is no such picture." }))

const types: Readonly<Record<string, string>> = {
  png: "image/png",
  webp: "image/webp",
  mp4: "video/mp4",
  flac: "audio/flac",
  mp3: "audio/mpeg"
}

/** Files are immutable, and are always served as a picture or film, so that nothing in them runs. */
const headersOf = (file: string, cacheControl: string) => ({
  "content-type": types[file.split(".").pop()!]!,
  "accept-ranges": "bytes",
  "cache-control": cacheControl,
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; sandbox",
  "cross-origin-resource-policy": "cross-origin"
})
const everybodys = { cache: "public, max-age=31536000, immutable", cors: { "access-control-allow-origin": "*" } }

/** An object of the store, or the requested range of it. */
export const serveObject = Effect.fnUntraced(
  function* (key: string, cacheControl: string, more: Record<string, string> = {}) {
    const objects = yield* ObjectStore
    const request = yield* HttpServerRequest.HttpServerRequest
    const size = yield* objects.size(key)
    if (size === null) return yield* notFound()
    const headers = { ...headersOf(key, cacheControl), ...more }
    const range = rangeOf(request.headers["range"], size)
    if (range === false) return yield* beyondEnd(size, headers)
    const answer = (part: ByteRange | null) =>
      HttpServerResponse.stream(
        // Opened at the first read, so that HEAD reads nothing.
        Stream.unwrap(Effect.map(objects.read(key, part), (found) => found ?? Stream.empty)),
        {
          status: part === null ? 200 : 206,
          contentType: headers["content-type"],
          contentLength: part === null ? size : part.to - part.from + 1,
          headers: {
            ...headers,
            ...(part === null ? {} : { "content-range": `bytes ${part.from}-${part.to}/${size}` })
          }
        }
      )
    return answer(range)
  },
  (serving) =>
    Effect.flatMap(Effect.result(serving), (done) =>
      Result.isSuccess(done)
        ? Effect.succeed(done.success)
        : HttpServerRespondable.toResponse(new Busy({ detail: done.failure.detail, retryAfterSec: 10 }))
    )
)

const addDrawn = (folder: "avatars" | "social") =>
  HttpRouter.add(
    "GET",
    `/media/${folder}/:file`,
    Effect.gen(function* () {
      const { file } = yield* HttpRouter.params
      return /^agt_[0-9a-z]{26}-[0-9a-f]{16}\.png$/.test(file ?? "")
        ? yield* serveObject(`${folder}/${file}`, everybodys.cache, everybodys.cors)
        : yield* notFound()
    })
  )

/** Unapproved pictures exist only for their agent and the operators. */
const gallery = HttpRouter.add(
  "GET",
  "/media/gallery/:file",
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { file } = yield* HttpRouter.params
    const assetId = /^(gal_[0-9a-z]{26})-(web\.webp|film\.mp4|thumb\.webp)$/.exec(file ?? "")?.[1]
    if (assetId === undefined) return yield* notFound()
    const assets = yield* GalleryAssets
    if (yield* assets.isPublic(assetId)) return yield* serveObject(`gallery/${file}`, everybodys.cache, everybodys.cors)
    const record = yield* assets.find(assetId)
    if (record === null || !hasPicture(record.status)) return yield* notFound()
    const mayLook = (yield* operatorOf(request)) !== null || (yield* ownerOf(request)) === record.agentId
    return mayLook ? yield* serveObject(`gallery/${file}`, "no-store") : yield* notFound()
  })
)

/** Pictures and films of agents. */
export const MediaPictures = [addDrawn("avatars"), addDrawn("social"), gallery] as const

export const pictureMethods = readOnly([/^\/media\/(avatars|social|gallery)\/[^/]+$/])
