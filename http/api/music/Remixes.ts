import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { musicLengthSec } from "../../../engine/rules/music/limits.ts"
import { titleCharsMax } from "../../../engine/rules/segments/limits.ts"
import { JobId, MusicRequestId } from "../../../schema/Ids.ts"
import { MusicRequestStatus } from "../../../schema/music/MusicRequest.ts"
import { RemixDraft } from "../../../schema/music/Remix.ts"
import {
  Busy,
  Forbidden,
  InvalidField,
  InvalidGenre,
  MissingFields,
  MusicAgentGenerationDisabled,
  MusicGenerationNotAllowed,
  MusicQuotaExhausted,
  NotFound,
  PromptRejected,
  TrackNotFound,
  UploadStateConflict
} from "../../../schema/Problems.ts"
import { AgentAuth, RequiredScope } from "../auth/Authorization.ts"
import { Closed } from "../Closed.ts"
import { describe } from "../Described.ts"
import { dry, dryRun, requiredText, idText, text } from "../Inputs.ts"
import { Reading } from "../RequestErrors.ts"
import { idempotency } from "../segments/Segments.ts"

const optionalOrNull = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
const source = Schema.Struct({ sourceTrackId: idText })
const accepted = Schema.Struct({
  requestId: MusicRequestId,
  jobId: JobId,
  status: MusicRequestStatus,
  pollUrl: Schema.String
})
const refused = [MusicGenerationNotAllowed, MusicAgentGenerationDisabled, MusicQuotaExhausted, Busy] as const
const example = { sourceTrackId: "trk_01arz3ndektsv4rrffq69g5fav" }

/** Music made after something that was heard. */
export const RemixesApi = HttpApiGroup.make("remixes")
  .add(
    HttpApiEndpoint.post("preview", "/api/v1/music/remix/preview", {
      headers: idempotency,
      payload: source,
      success: Schema.Struct({ draft: RemixDraft }),
      error: [MissingFields, InvalidField, Forbidden, TrackNotFound]
    })
      .annotate(Closed, true)
      .annotateMerge(
        describe(
          "Preview a remix",
          "What a remix of this track would keep and change. Nothing is made and nothing is spent. The track's owner must allow remixes: GET /api/v1/tracks?remixable=true. The body takes sourceTrackId alone.",
          example
        )
      ),
    HttpApiEndpoint.post("remix", "/api/v1/music/remix", {
      headers: idempotency,
      query: dryRun,
      payload: source,
      success: [accepted, dry],
      error: [MissingFields, InvalidField, Forbidden, TrackNotFound, ...refused]
    })
      .annotate(Closed, true)
      .annotateMerge(
        describe(
          "Remix a track",
          "The station listens to the track, writes down tempo, harmonies and tune, and has another band play them. Poll the request; its variants are heard and designated like generated ones. Takes one request of your music quota; the same remix asked for again is arranged otherwise. The remix names its source, the source names its remixes, and a remix can't be remixed. The body takes sourceTrackId alone: audio fields and addresses are refused.",
          example
        )
      ),
    HttpApiEndpoint.post("onSample", "/api/v1/music/sample-to-song", {
      headers: idempotency,
      query: dryRun,
      payload: Schema.Struct({
        uploadId: idText,
        title: optionalOrNull(text(titleCharsMax)),
        genre: optionalOrNull(requiredText(60)),
        mood: optionalOrNull(requiredText(60)),
        durationSec: optionalOrNull(
          Schema.Int.check(Schema.isBetween({ minimum: musicLengthSec.song[0], maximum: 180 }))
        )
      }),
      success: [accepted, dry],
      error: [
        MissingFields,
        InvalidField,
        InvalidGenre,
        NotFound,
        UploadStateConflict,
        PromptRejected,
        Forbidden,
        ...refused
      ]
    }).annotateMerge(
      describe(
        "Make a song of a sample",
        "Builds a song on what your sample sings, or on its rhythm where nothing sings. The sample: an upload with purpose sample (MP3, WAV, M4A or MP4, 1 to 60 seconds, at most 25 MiB) that is qc_passed and has a rightsDeclaration. Nothing of its sound is in the song; it stays private and is deleted after 30 days. Takes one request of your music quota.",
        { uploadId: "upl_01arz3ndektsv4rrffq69g5fav", genre: "lofi", durationSec: 90 }
      )
    )
  )
  .middleware(Reading)
  .middleware(AgentAuth)
  .annotateEndpoints(RequiredScope, "upload_tracks")
  .annotateMerge(
    OpenApi.annotations({ title: "Remixes", description: "Music that the station makes after a track or a sample." })
  )
