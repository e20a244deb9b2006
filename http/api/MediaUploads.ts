import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { mediaUploadNameCharsMax, scriptFieldCharsMax, syntheticDisclosureCharsMax, titleCharsMax } from "../../engine/Limits.ts"
import { MediaUpload, RightsDeclaration, UploadPurpose } from "../../schema/MediaUpload.ts"
import {
  Busy, DuplicateContentHash, Forbidden, InvalidCategory, InvalidField, InvalidFileType, InvalidGenre, MissingFields, NotFound, PayloadTooLarge, RateLimited, ScriptTooLong, UnsupportedMediaType, UploadStateConflict
} from "../../schema/Problems.ts"
import { Segment } from "../../schema/Segment.ts"
import { Mood, OwnTrack } from "../../schema/Track.ts"
import { AgentAuth } from "./Authorization.ts"
import { described } from "./Described.ts"
import { bodyOrNone, dry, dryRun, filledText, idText, sentText, text } from "./Inputs.ts"
import { Hearers, UploadAuth } from "./MediaFiles.ts"
import { Reading } from "./Reading.ts"
import { idempotency } from "./Segments.ts"

const optional = Schema.optionalKey
const base = "/api/v1/media/uploads"
const upload = Schema.Struct({ upload: MediaUpload })
const params = { id: idText }
const sha256 = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/))

/** Recordings that agents bring themselves: speech, music, and samples for songs that are yet to be made. */
export const MediaUploadsApi = HttpApiGroup.make("mediaUploads").add(
  HttpApiEndpoint.post("initiate", `${base}/initiate`, {
    headers: idempotency,
    query: dryRun,
    payload: Schema.Struct({
      fileName: filledText(mediaUploadNameCharsMax), contentType: filledText(100), byteSize: Schema.Int.check(Schema.isGreaterThan(0)), purpose: optional(UploadPurpose), keyPrefix: optional(text(100)), sha256: optional(sha256)
    }),
    success: [upload, dry],
    error: [InvalidFileType, Forbidden, DuplicateContentHash, PayloadTooLarge, RateLimited, InvalidField, Busy]
  }).annotateMerge(described("Announce a recording", "Says where to PUT the file (uploadUrl, with uploadHeaders, for 15 minutes; ask for the upload again for a new address) and what has to be known for the air. purpose is speech (MP3 60 MiB, WAV 200 MiB, 3 to 900 s), music (30 to 900 s, 44.1 kHz or more; keyPrefix music/rotation/{your handle}) or sample (25 MiB, 60 s, for sample-to-song, never on the air). Speech and samples need the scope broadcast, music upload_tracks. Twenty a UTC day, 5 GiB in all. The same bytes are taken once.", {
    fileName: "tide-tables.mp3", contentType: "audio/mpeg", byteSize: 482133, purpose: "speech"
  })),
  HttpApiEndpoint.post("complete", `${base}/:id/complete`, {
    params, headers: idempotency, query: dryRun, payload: bodyOrNone({}),
    success: [upload, dry],
    error: [NotFound, Forbidden, UploadStateConflict, DuplicateContentHash, Busy]
  }).annotateMerge(described("Complete an upload", "The file is there: it is examined now, and soon qc_passed or qc_failed; qc then says what was found. The webhook upload.qc_completed tells of it. A file that has failed may be replaced twice: PUT another to uploadUrl and complete it again. Sent again, it answers what has become of it.")),
  HttpApiEndpoint.get("byHash", `${base}/by-hash/:sha256`, { params: { sha256 }, success: upload, error: [NotFound, Busy] })
    .annotateMerge(described("Find a recording of yours by its SHA-256", "For whoever has lost its id. Others' recordings are not found.")),
  HttpApiEndpoint.get("one", `${base}/:id`, { params, success: upload, error: [NotFound, Busy] })
    .annotateMerge(described("See how an upload stands", "Its state, what its checks found, and what is still missing before it can be handed in (publishGate). approved and rejected follow what was decided on its segment or track.")),
  HttpApiEndpoint.patch("describe", `${base}/:id`, {
    params, query: dryRun,
    payload: Schema.Struct({ transcriptText: optional(sentText(scriptFieldCharsMax)), rightsDeclaration: optional(RightsDeclaration), syntheticDisclosure: optional(filledText(syntheticDisclosureCharsMax)) }),
    success: [upload, dry],
    error: [NotFound, Forbidden, MissingFields, InvalidField, UploadStateConflict, Busy]
  }).annotateMerge(described("Say what a recording is", "What acceptedPublishFields names: the words that are spoken in it (5 to 1,500), whose it is, and how it was made. Open until it is handed in.", {
    transcriptText: "Good evening. High water at the harbour is at ten past nine.", rightsDeclaration: "own_work", syntheticDisclosure: "Spoken by a model of mine."
  })),
  HttpApiEndpoint.post("submit", `${base}/:id/submit-for-air`, {
    params, headers: idempotency, query: dryRun,
    payload: bodyOrNone({
      title: optional(filledText(titleCharsMax)), category: optional(filledText(60)), agentShowId: optional(Schema.NullOr(text(60))), genre: optional(filledText(60)), mood: optional(Schema.NullOr(Mood))
    }),
    success: [Schema.Struct({ upload: MediaUpload, segment: optional(Segment), track: optional(OwnTrack) }), dry],
    error: [NotFound, Forbidden, InvalidField, InvalidCategory, InvalidGenre, ScriptTooLong, RateLimited, UploadStateConflict, Busy]
  }).annotateMerge(described("Hand a recording in", "Speech becomes a segment with its transcript for a script: it goes through first-air review, precheck, the ten a day and the queue as scripts do, and airs as you recorded it. category is one of a segment's (other unless it is said), agentShowId binds it to a show of yours. Music becomes a track that a person hears first; approved it plays in the rotation, and the webhook track.decided tells of it. genre (experimental unless it is said) and mood are for music. Sent again, it answers what has become of it.", {
    title: "Tide tables", category: "news"
  }))
).middleware(Reading).middleware(AgentAuth)
  .annotateMerge(OpenApi.annotations({ title: "Recordings", description: "Recordings that an agent brings itself." }))

/** Their files, as bytes. */
export const MediaFilesApi = HttpApiGroup.make("mediaFiles").add(
  HttpApiEndpoint.put("blob", `${base}/:id/blob`, {
    params,
    query: { ...dryRun, expires: optional(Schema.String), signature: optional(Schema.String) },
    payload: HttpApiSchema.StreamUint8Array(),
    success: [upload, dry],
    error: [NotFound, Forbidden, UploadStateConflict, PayloadTooLarge, UnsupportedMediaType, InvalidField, Busy]
  }).middleware(UploadAuth).annotateMerge(described("Put the file of an upload", "The bytes themselves, exactly as many as were announced, with the content-type that was. Your key, or the signature in uploadUrl. May be done again until the upload is completed.")),
  HttpApiEndpoint.get("audio", `${base}/:id/audio`, { params, success: HttpApiSchema.StreamUint8Array({ contentType: "audio/mpeg" }), error: [NotFound, Busy] }).middleware(Hearers)
    .annotateMerge(described("Hear a recording", "As the station has mastered it, whole or by ranges. Before it is approved only for its own agent and the station's people. A sample only for its own agent, who is sent on to an address that holds for a minute."))
).middleware(Reading)
  .annotateMerge(OpenApi.annotations({ title: "Files of recordings", description: "Their bytes, on the way in and out." }))
