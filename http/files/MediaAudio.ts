import { Clock, Effect, FileSystem, Result, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerRespondable, HttpServerResponse } from "effect/http"
import { Prepare } from "../../engine/ports/Prepare.ts"
import { VoiceSamples } from "../../engine/ports/VoiceSamples.ts"
import { PeerCases } from "../../engine/store/moderation/PeerCases.ts"
import { SoundAccess, type SoundReach } from "../../engine/store/sound/SoundAccess.ts"
import { Voices } from "../../engine/store/voices/Voices.ts"
import { Busy, NotFound, RangeNotSatisfiable } from "../../schema/Problems.ts"
import { AssetId } from "../../schema/Ids.ts"
import { operatorOf } from "../auth/OperatorOf.ts"
import { ownerOf } from "../auth/OwnerOf.ts"

const isAssetId = Schema.is(AssetId)
const notFound = () => HttpServerRespondable.toResponse(new NotFound({ detail: "There is no such sound." }))

/** Authorized before publication: the sound's agent, members of its panel, reviewers for whom it waits, and operators. */
export const canHear = Effect.fnUntraced(function* (
  assetId: string,
  reach: SoundReach,
  request: HttpServerRequest.HttpServerRequest
) {
  if ((yield* operatorOf(request)) !== null) return true
  if (reach.agentId === null) return false
  const agentId = yield* ownerOf(request)
  if (agentId === null) return false
  if (agentId === reach.agentId || reach.seated.includes(agentId)) return true
  return yield* (yield* PeerCases).canHear(agentId, assetId, yield* Clock.currentTimeMillis)
})

/** One byte range (RFC 9110); null for the whole, false if unsatisfiable. */
export const rangeOf = (
  header: string | undefined,
  size: number
): { readonly from: number; readonly to: number } | null | false => {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "")
  if (match === null || (match[1] === "" && match[2] === "")) return null
  const last = size - 1
  const from = match[1] === "" ? Math.max(0, size - Number(match[2])) : Number(match[1])
  const to = match[1] === "" || match[2] === "" ? last : Math.min(last, Number(match[2]))
  return size === 0 || from > last || to < from ? false : { from, to }
}

/** The answer to a range beyond the end of a file. */
export const beyondEnd = (size: number, headers: Record<string, string>) => {
  const { "content-type": _, ...others } = headers
  return Effect.map(
    HttpServerRespondable.toResponse(
      new RangeNotSatisfiable({
        detail: `The file has ${size} bytes.`,
        errors: [{ pointer: "/headers/range", code: "RANGE_NOT_SATISFIABLE", detail: `must lie within ${size} bytes` }]
      })
    ),
    (answer) =>
      HttpServerResponse.setHeaders(answer, {
        ...others,
        "cache-control": "no-store",
        "content-range": `bytes */${size}`
      })
  )
}

/** A sound file, or the requested range of it. */
export const serveFile = Effect.fnUntraced(function* (path: string, headers: Record<string, string>) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const size = yield* (yield* FileSystem.FileSystem).stat(path).pipe(
    Effect.map((info) => Number(info.size)),
    Effect.orElseSucceed(() => null)
  )
  if (size === null) return yield* notFound()
  const all = { "content-type": "audio/mpeg", "accept-ranges": "bytes", ...headers }
  const range = rangeOf(request.headers["range"], size)
  if (range === false) return yield* beyondEnd(size, all)
  return yield* Effect.orDie(
    range === null
      ? HttpServerResponse.file(path, { headers: all })
      : HttpServerResponse.file(path, {
          status: 206,
          offset: range.from,
          bytesToRead: range.to - range.from + 1,
          headers: { ...all, "content-range": `bytes ${range.from}-${range.to}/${size}` }
        })
  )
})

export const publicHeaders = (maxAgeSec: number) => ({
  "cache-control": `public, max-age=${maxAgeSec}`,
  "access-control-allow-origin": "*"
})

/** Listening copies. Unauthorized readers can't learn whether a sound exists. */
export const MediaAudio = HttpRouter.add(
  "GET",
  "/media/audio/:file",
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { file } = yield* HttpRouter.params
    const assetId = /^(.+)\.mp3$/.exec(file ?? "")?.[1]
    if (!isAssetId(assetId)) return yield* notFound()
    const reach = yield* (yield* SoundAccess).reach(assetId)
    if (reach === null || !(reach.everybody || (yield* canHear(assetId, reach, request)))) return yield* notFound()
    return yield* serveFile(
      (yield* Prepare).listeningCopyOf(assetId),
      reach.everybody ? publicHeaders(300) : { "cache-control": "no-store" }
    )
  })
)

/** Samples of the catalog's voices, without those reserved for the station's shows. */
export const VoiceAudio = HttpRouter.add(
  "GET",
  "/media/voices/:file",
  Effect.gen(function* () {
    const { file } = yield* HttpRouter.params
    const voiceId = /^(voice_[a-z0-9_]{1,40})\.mp3$/.exec(file ?? "")?.[1]
    const found = voiceId === undefined ? null : yield* (yield* Voices).find(voiceId)
    if (found === null) return yield* notFound()
    const sample = yield* Effect.result((yield* VoiceSamples).sample(found.voice))
    return Result.isFailure(sample)
      ? yield* HttpServerRespondable.toResponse(
          new Busy({ detail: `${sample.failure.detail} Ask again in a moment.`, retryAfterSec: 5 })
        )
      : yield* serveFile(sample.success, publicHeaders(86_400))
  })
)
