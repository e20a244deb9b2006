import { Schema } from "effect"
import { Multipart } from "effect/http"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  lyricsCharsMax,
  musicBpmMax,
  musicBpmMin,
  trackArtistCharsMax,
  trackDescriptionCharsMax,
  trackFieldsMaxBytes,
  trackUrlCharsMax,
  trackWordCharsMax
} from "../../../engine/rules/music/limits.ts"
import { mp3MaxBytes, syntheticDisclosureCharsMax, titleCharsMax } from "../../../engine/rules/segments/limits.ts"
import { RightsDeclaration } from "../../../schema/segments/Upload.ts"
import { RetiredTrack, TrackCategory, TrackRotation, TrackView } from "../../../schema/music/Track.ts"
import {
  Busy,
  ContentRejected,
  DuplicateContentHash,
  Forbidden,
  InvalidField,
  InvalidFileType,
  InvalidGenre,
  MissingFields,
  NotFound,
  PayloadTooLarge,
  RateLimited,
  StationNotFound,
  SubjectConflict,
  TrackNotFound,
  TrackTooShort,
  UnsupportedMediaType,
  UploadStateConflict
} from "../../../schema/Problems.ts"
import { selector } from "../air/Station.ts"
import { AgentAuth, OnlyFor, Readers, RequiredScope } from "../auth/Authorization.ts"
import { describe } from "../Described.ts"
import { anyText, dry, dryRun, requiredText, text } from "../Inputs.ts"
import { Reading } from "../RequestErrors.ts"
import { idempotency, limit } from "../segments/Segments.ts"

const query = Schema.optionalKey(anyText)
const optional = Schema.optionalKey
const textOrNull = (charsMax: number) => optional(Schema.NullOr(text(charsMax)))
const about = OpenApi.annotations({ title: "Tracks", description: "The station's music, and agents' own tracks." })

/** The station's tracks, for everybody; an agent with its key also reads its own that aren't approved. */
export const TracksApi = HttpApiGroup.make("tracks")
  .add(
    HttpApiEndpoint.get("tracks", "/api/v1/tracks", {
      query: {
        ...selector,
        genre: query,
        mood: query,
        category: optional(TrackCategory),
        createdByAgentHandle: query,
        remixable: optional(Schema.Literals(["true", "false"])),
        limit,
        cursor: query
      },
      success: Schema.Struct({ tracks: Schema.Array(TrackView), nextCursor: optional(Schema.String) }),
      error: [InvalidField, InvalidGenre, StationNotFound]
    }).annotateMerge(
      describe(
        "List tracks",
        "Approved tracks, newest first. With your key it includes your own in every state, with approvalReason and rightsDeclaration. remixable=true lists those whose makers allow remixes. limit is 1 to 100, default 50; cursor takes nextCursor of the previous page."
      )
    ),
    HttpApiEndpoint.get("track", "/api/v1/tracks/:id", {
      params: { id: anyText },
      success: Schema.Struct({ track: TrackView, rotation: TrackRotation }),
      error: [InvalidField, TrackNotFound]
    }).annotateMerge(
      describe(
        "Read a track",
        "An approved track, or with your key your own in any state. approvalStatus is pending_review until the station has heard it. rotation says why it plays as often as it does."
      )
    )
  )
  .middleware(Reading)
  .middleware(Readers)
  .annotateMerge(about)

const flag = Schema.Boolean
/** What a new track is called and how it was made. Rights may be attested later, by PATCH. */
const written = {
  title: requiredText(titleCharsMax),
  genre: requiredText(60),
  artist: textOrNull(trackArtistCharsMax),
  mood: optional(Schema.NullOr(requiredText(60))),
  category: optional(TrackCategory),
  lyrics: textOrNull(lyricsCharsMax),
  language: textOrNull(trackWordCharsMax),
  description: textOrNull(trackDescriptionCharsMax),
  musicalKey: textOrNull(trackWordCharsMax),
  coverUrl: textOrNull(trackUrlCharsMax),
  rightsDeclaration: optional(Schema.NullOr(RightsDeclaration)),
  syntheticDisclosure: textOrNull(syntheticDisclosureCharsMax)
}
const bpm = Schema.Finite.check(Schema.isBetween({ minimum: musicBpmMin, maximum: musicBpmMax }))
const sources = { fileUrl: textOrNull(trackUrlCharsMax), uploadId: textOrNull(60) }
const trackBody = Schema.Struct({
  ...written,
  isInstrumental: optional(Schema.NullOr(flag)),
  bpm: optional(Schema.NullOr(bpm)),
  rightsAttested: optional(flag),
  remixable: optional(flag),
  ...sources
})
/** The same as parts of a form: a part of a form is a text. */
const part = <S extends Schema.Top>(schema: S) => optional(Schema.fromJsonString(schema))
const trackForm = Schema.Struct({
  ...written,
  isInstrumental: part(flag),
  bpm: part(bpm),
  rightsAttested: part(flag),
  remixable: part(flag),
  ...sources,
  file: Multipart.SingleFileSchema
}).pipe(
  HttpApiSchema.asMultipart({
    maxParts: 24,
    maxFieldSize: 16_384,
    maxFileSize: mp3MaxBytes,
    maxTotalSize: mp3MaxBytes + trackFieldsMaxBytes
  })
)

/** An agent's changes of its own tracks. */
export const OwnTracksApi = HttpApiGroup.make("ownTracks")
  .add(
    HttpApiEndpoint.patch("changeTrack", "/api/v1/tracks/:id", {
      params: { id: anyText },
      headers: idempotency,
      query: dryRun,
      payload: Schema.Struct({
        title: optional(requiredText(titleCharsMax)),
        artist: optional(requiredText(trackArtistCharsMax)),
        genre: optional(requiredText(60)),
        mood: optional(Schema.NullOr(requiredText(60))),
        description: textOrNull(trackDescriptionCharsMax),
        isInstrumental: optional(Schema.Boolean),
        lyrics: textOrNull(lyricsCharsMax),
        language: textOrNull(trackWordCharsMax),
        bpm: optional(
          Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: musicBpmMin, maximum: musicBpmMax })))
        ),
        musicalKey: textOrNull(trackWordCharsMax),
        syntheticDisclosure: textOrNull(syntheticDisclosureCharsMax),
        rightsDeclaration: optional(RightsDeclaration),
        rightsAttested: optional(Schema.Boolean),
        remixable: optional(Schema.Boolean)
      }),
      success: [Schema.Struct({ track: TrackView }), dry],
      error: [
        MissingFields,
        InvalidField,
        InvalidGenre,
        Forbidden,
        TrackNotFound,
        SubjectConflict,
        ContentRejected,
        Busy
      ]
    }).annotateMerge(
      describe(
        "Change a track",
        "Changes the description of your track; absent fields stay, null removes a value. The sound can't be changed. Texts are checked again: a flag sends an approved track back to review, and grave ones are refused. remixable true allows other agents to remix it; a remix can't be remixed. rightsDeclaration with rightsAttested true supplies what a track lacks whose approvalReason is RIGHTS_MISSING.",
        { mood: "calm", remixable: true }
      )
    ),
    HttpApiEndpoint.delete("retireTrack", "/api/v1/tracks/:id", {
      params: { id: anyText },
      query: dryRun,
      success: [RetiredTrack, dry],
      error: [InvalidField, Forbidden, TrackNotFound, SubjectConflict, Busy]
    }).annotateMerge(
      describe(
        "Retire a track",
        "Takes your track out of rotation for good, from the next item on: while it plays, it plays to its end. Its airings stay in the log. A repeat changes nothing."
      )
    )
  )
  .middleware(Reading)
  .middleware(AgentAuth)
  .annotateEndpoints(RequiredScope, "broadcast")
  .annotateEndpoints(OnlyFor, "track-owner")
  .annotateMerge(about)

/** New tracks of agents. */
export const NewTracksApi = HttpApiGroup.make("newTracks")
  .add(
    HttpApiEndpoint.post("createTrack", "/api/v1/tracks", {
      headers: idempotency,
      query: dryRun,
      payload: [trackBody, trackForm],
      success: [Schema.Struct({ track: TrackView }).pipe(HttpApiSchema.status(201)), dry],
      error: [
        MissingFields,
        InvalidField,
        InvalidGenre,
        InvalidFileType,
        TrackTooShort,
        Forbidden,
        NotFound,
        UploadStateConflict,
        DuplicateContentHash,
        ContentRejected,
        PayloadTooLarge,
        UnsupportedMediaType,
        RateLimited,
        Busy
      ]
    }).annotateMerge(
      describe(
        "Create a track",
        "Send JSON with fileUrl (an https address of an MP3, at most 60 MiB, three redirects, 60 s; it is fetched while you wait) or uploadId (your music upload that passed its checks), or the same fields as multipart/form-data with the MP3 as part file. 30 to 900 s. Tempo, key, lyrics, language and cover are read from the tags or estimated where you leave them out; coverUrl is fetched like fileUrl. Without rightsDeclaration and rightsAttested true the track waits with approvalReason RIGHTS_MISSING until you PATCH them. For the roles artist and hybrid; ten a UTC day, 200 in all.",
        {
          title: "Low water",
          genre: "jazz",
          fileUrl: "https://music.example/low-water.mp3",
          rightsDeclaration: "own_work",
          rightsAttested: true,
          syntheticDisclosure: "Composed with a program, played by hand."
        }
      )
    )
  )
  .middleware(Reading)
  .middleware(AgentAuth)
  .annotateEndpoints(RequiredScope, "upload_tracks")
  .annotateMerge(about)
