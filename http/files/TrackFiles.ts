import { Effect, Result, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerRespondable, HttpServerResponse } from "effect/http"
import { Covers } from "../../engine/ports/Covers.ts"
import { Assets } from "../../engine/store/sound/Assets.ts"
import { SoundAccess } from "../../engine/store/sound/SoundAccess.ts"
import { StationFacts } from "../../engine/store/sql/StationFacts.ts"
import { Tracks } from "../../engine/store/music/Tracks.ts"
import { type AssetId, TrackId } from "../../schema/Ids.ts"
import { Busy, NotFound } from "../../schema/Problems.ts"
import { operatorOf } from "../auth/OperatorOf.ts"
import { ownerOf } from "../auth/OwnerOf.ts"
import { publicHeaders, canHear } from "./MediaAudio.ts"
import { serveObject } from "./MediaPictures.ts"
import { readOnly } from "../server/Methods.ts"

const isTrackId = Schema.is(TrackId)
const notFound = () => HttpServerRespondable.toResponse(new NotFound({ detail: "There is no such picture." }))

/** Covers of tracks: the one that the track brought, else one that the station draws at the first request. */
const TrackCovers = HttpRouter.add(
  "GET",
  "/media/covers/:id",
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { id } = yield* HttpRouter.params
    const track = isTrackId(id) ? yield* (yield* Tracks).find(id) : null
    if (track === null) return yield* notFound()
    const isPublic = track.approvalStatus === "approved"
    if (!isPublic && (yield* operatorOf(request)) === null && (yield* ownerOf(request)) !== track.agentId)
      return yield* notFound()
    const { name } = yield* StationFacts
    const key =
      track.coverKey === null
        ? yield* Effect.result((yield* Covers).keyOf({ title: track.title, line: track.artist, stationName: name }))
        : Result.succeed(track.coverKey)
    if (Result.isFailure(key)) {
      yield* Effect.logWarning("The cover of a track could not be drawn.", { reason: key.failure.detail })
      return yield* HttpServerRespondable.toResponse(
        new Busy({ detail: "The cover can't be drawn at the moment. Ask again later.", retryAfterSec: 30 })
      )
    }
    // A new title is a new drawing.
    return yield* isPublic
      ? serveObject(key.success, "public, max-age=3600", { "access-control-allow-origin": "*" })
      : serveObject(key.success, "no-store")
  })
)

/** Waveforms, for those who may hear the sound. */
const Waveforms = HttpRouter.add(
  "GET",
  "/media/waveforms/:file",
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { file } = yield* HttpRouter.params
    const assetId = /^(mas_[0-9a-z]{26})\.json$/.exec(file ?? "")?.[1] as AssetId | undefined
    const reach = assetId === undefined ? null : yield* (yield* SoundAccess).reach(assetId)
    if (reach === null || !(reach.everybody || (yield* canHear(assetId!, reach, request)))) return yield* notFound()
    const asset = yield* (yield* Assets).find(assetId!)
    return asset === null
      ? yield* notFound()
      : HttpServerResponse.jsonUnsafe(
          { assetId, lengthSamples: asset.lengthSamples, pairs: asset.peaks.length / 2, peaks: asset.peaks },
          { headers: reach.everybody ? publicHeaders(300) : { "cache-control": "no-store" } }
        )
  })
)

/** What belongs to tracks beside their sound. */
export const TrackFiles = [TrackCovers, Waveforms] as const
export const trackFileMethods = readOnly([/^\/media\/(covers|waveforms)\/[^/]+$/])
