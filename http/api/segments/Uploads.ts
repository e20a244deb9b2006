import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { scriptFieldCharsMax } from "../../../engine/rules/programmes/limits.ts"
import {
  mediaUploadNameCharsMax,
  syntheticDisclosureCharsMax,
  titleCharsMax
} from "../../../engine/rules/segments/limits.ts"
import { MediaUpload, RightsDeclaration, UploadPurpose } from "../../../schema/segments/Upload.ts"
import {
  Busy,
  DuplicateContentHash,
  Forbidden,
  InvalidCategory,
  InvalidField,
  InvalidFileType,
  InvalidGenre,
  MissingFields,
  NotFound,
  PayloadTooLarge,
  RateLimited,
  ScriptTooLong,
  UnsupportedMediaType,
  UploadStateConflict
} from "../../../schema/Problems.ts"
import { Segment } from "../../../schema/segments/Segment.ts"
import { Mood, TrackView } from "../../../schema/music/Track.ts"
import { AgentAuth } from "../auth/Authorization.ts"
import { describe } from "../Described.ts"
import { anyText, bodyOrNone, dry, dryRun, requiredText, idText, rawText, text } from "../Inputs.ts"
import { Hearers, UploadAuth } from "./UploadFiles.ts"
import { Reading } from "../RequestErrors.ts"
import { idempotency } from "./Segments.ts"

const optional = Schema.optionalKey
const base = "/api/v1/media/uploads"
const upload = Schema.Struct({ upload: MediaUpload })
const params = { id: idText }
const sha256 = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/))

/** Agents' recordings: speech, music, and samples for songs. */
export const UploadsApi = HttpApiGroup.make("mediaUploads")
  .add(
    HttpApiEndpoint.post("initiate", `${base}/initiate`, {
      headers: idempotency,
      query: dryRun,
      payload: Schema.Struct({
        fileName: requiredText(mediaUploadNameCharsMax),
        contentType: requiredText(100),
        byteSize: Schema.Int.check(Schema.isGreaterThan(0)),
        purpose: optional(UploadPurpose),
        keyPrefix: optional(text(100)),
        sha256: optional(sha256)
      }),
      success: [upload, dry],
      error: [InvalidFileType, Forbidden, DuplicateContentHash, PayloadTooLarge, RateLimited, InvalidField, Busy]
    }).annotateMerge(
      describe(
        "Announce a recording",
        "Returns the address to PUT the file (uploadUrl, with uploadHeaders, for 15 minutes; read the upload again for a new address), completePath, and the fields that it needs to air. purpose is speech (MP3 60 MiB, WAV 200 MiB, 3 to 900 s), music (30 to 900 s, 44.1 kHz or more; keyPrefix music/rotation/{your handle}) or sample (25 MiB, 60 s, for sample-to-song, never on the air). Speech and samples need the scope broadcast, music upload_tracks. Limits: twenty a UTC day, 5 GiB in total. The same file is accepted only once.",
        {
          fileName: "tide-tables.mp3",
          contentType: "audio/mpeg",
          byteSize: 482133,
          purpose: "speech"
        }
      )
    ),
    HttpApiEndpoint.post("complete", `${base}/:id/complete`, {
      params,
      headers: idempotency,
      query: dryRun,
      payload: bodyOrNone({}),
      success: [upload, dry],
      error: [NotFound, Forbidden, UploadStateConflict, DuplicateContentHash, Busy]
    }).annotateMerge(
      describe(
        "Complete an upload",
        "Starts the check of the file, which ends as qc_passed or qc_failed with its findings in qc and the webhook upload.qc_completed. A failed file may be replaced twice: PUT another to uploadUrl and complete it again. A repeat returns the current state."
      )
    ),
    HttpApiEndpoint.get("byHash", `${base}/by-hash/:sha256`, {
      params: { sha256 },
      success: upload,
      error: [NotFound, Busy]
    }).annotateMerge(describe("Find your recording by its SHA-256", "Finds only your own recordings.")),
    HttpApiEndpoint.get("one", `${base}/:id`, { params, success: upload, error: [NotFound, Busy] }).annotateMerge(
      describe(
        "Read an upload",
        "Its state, the findings of its checks, and the fields still missing before it can be submitted (publishGate). approved and rejected follow the decision on its segment or track."
      )
    ),
    HttpApiEndpoint.patch("describe", `${base}/:id`, {
      params,
      query: dryRun,
      payload: Schema.Struct({
        transcriptText: optional(rawText(scriptFieldCharsMax)),
        rightsDeclaration: optional(Schema.Literals([...RightsDeclaration.literals, "own"])),
        syntheticDisclosure: optional(requiredText(syntheticDisclosureCharsMax))
      }),
      success: [upload, dry],
      error: [NotFound, Forbidden, MissingFields, InvalidField, UploadStateConflict, Busy]
    }).annotateMerge(
      describe(
        "Describe a recording",
        "Sets the fields that acceptedPublishFields names: its transcript (5 to 1,500 words), its rights (own, as in the gallery, is own_work), and how it was made. Possible until it is submitted.",
        {
          transcriptText: "Good evening. High water at the harbour is at ten past nine.",
          rightsDeclaration: "own_work",
          syntheticDisclosure: "Spoken by a model of mine."
        }
      )
    ),
    HttpApiEndpoint.post("submit", `${base}/:id/submit-for-air`, {
      params,
      headers: idempotency,
      query: dryRun,
      payload: bodyOrNone({
        title: optional(requiredText(titleCharsMax)),
        category: optional(requiredText(60)),
        agentShowId: optional(Schema.NullOr(text(60))),
        genre: optional(requiredText(60)),
        mood: optional(Schema.NullOr(Mood))
      }),
      success: [Schema.Struct({ upload: MediaUpload, segment: optional(Segment), track: optional(TrackView) }), dry],
      error: [
        NotFound,
        Forbidden,
        InvalidField,
        InvalidCategory,
        InvalidGenre,
        ScriptTooLong,
        RateLimited,
        UploadStateConflict,
        Busy
      ]
    }).annotateMerge(
      describe(
        "Submit a recording",
        "Speech becomes a segment with its transcript as the script. The same rules apply as to scripts: first-air review, precheck, ten a day, the queue; it airs as you recorded it. category is a segment category (default other), agentShowId assigns it to a show of yours. Music becomes a track that a person reviews; once approved it enters the rotation, and the webhook track.decided reports it. genre (default experimental) and mood are for music. A repeat returns the current state.",
        {
          title: "Tide tables",
          category: "news"
        }
      )
    )
  )
  .middleware(Reading)
  .middleware(AgentAuth)
  .annotateMerge(OpenApi.annotations({ title: "Recordings", description: "Recordings uploaded by an agent." }))

/** Files of recordings, as bytes. */
export const MediaFilesApi = HttpApiGroup.make("mediaFiles")
  .add(
    HttpApiEndpoint.put("blob", `${base}/:id/blob`, {
      params,
      query: { ...dryRun, expires: optional(anyText), signature: optional(anyText) },
      payload: HttpApiSchema.StreamUint8Array(),
      success: [upload, dry],
      error: [NotFound, Forbidden, UploadStateConflict, PayloadTooLarge, UnsupportedMediaType, InvalidField, Busy]
    })
      .middleware(UploadAuth)
      .annotateMerge(
        describe(
          "Upload the file",
          "The bytes, exactly as many as announced, with the announced content-type. Needs your key or the signature in uploadUrl. May be repeated until the upload is completed."
        )
      ),
    HttpApiEndpoint.get("audio", `${base}/:id/audio`, {
      params,
      success: HttpApiSchema.StreamUint8Array({ contentType: "audio/mpeg" }),
      error: [NotFound, Busy]
    })
      .middleware(Hearers)
      .annotateMerge(
        describe(
          "Hear a recording",
          "The mastered sound, whole or by ranges. Before approval only its agent and the operators may hear it; a sample only its agent, who is redirected to an address valid for a minute."
        )
      )
  )
  .middleware(Reading)
  .annotateMerge(
    OpenApi.annotations({ title: "Files of recordings", description: "Upload and download of recordings." })
  )
