import { Clock, Effect, Stream } from "effect"
import { createHash } from "node:crypto"
import { stationFacts } from "../../engine/runtime/Config.ts"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { ObjectStore } from "../../engine/ports/ObjectStore.ts"
import { Outbound } from "../../engine/ports/Outbound.ts"
import { type Examined, incomingKeyOf, UploadSound } from "../../engine/ports/UploadSound.ts"
import {
  coverFetchMaxBytes,
  coverFetchSec,
  trackExamineAfterMs,
  trackFetchSec,
  tracksPerAgentMax
} from "../../engine/rules/music/limits.ts"
import { rightsMissing, trackCard, tracksAllowance, trackView, unplayed } from "../../engine/rules/music/Track.ts"
import { isEscalating } from "../../engine/rules/moderation/Precheck.ts"
import { mp3MaxBytes } from "../../engine/rules/segments/limits.ts"
import { assetIdOf, initiateUpload, scopeOf } from "../../engine/rules/segments/Upload.ts"
import { soundTypeOf } from "../../schema/SoundType.ts"
import { markOf } from "../../engine/rules/sound/Synthetic.ts"
import { Agents } from "../../engine/store/agents/Agents.ts"
import { Standings } from "../../engine/store/agents/Standings.ts"
import { Tracks } from "../../engine/store/music/Tracks.ts"
import { UploadsWriter } from "../../engine/store/segments/Uploads.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import { SoundPrints } from "../../engine/store/sound/SoundPrints.ts"
import { Assets } from "../../engine/store/sound/Assets.ts"
import type { TrackId, UploadId } from "../../schema/Ids.ts"
import { Track } from "../../schema/music/Track.ts"
import type { TrackDraft, TrackOrigin } from "../../schema/music/TrackDraft.ts"
import {
  Busy,
  DuplicateContentHash,
  Forbidden,
  InvalidField,
  InvalidFileType,
  NotFound,
  UploadStateConflict
} from "../../schema/Problems.ts"
import type { UploadRecord } from "../../schema/segments/Upload.ts"
import { askForReview } from "../moderation/Reviews.ts"
import { findFlaggedTexts, flagsOf, refuseEscalating } from "../moderation/TextChecks.ts"
import { keepCover } from "../music/Covers.ts"
import { saveTrack } from "../music/inTransaction.ts"
import { recordingRefusal } from "../music/RecordingRefusal.ts"
import { command } from "../runtime/Command.ts"
import { checkAllowance } from "../runtime/spendAllowance.ts"
import { addJob } from "../runtime/Jobs.ts"
import { ExamineUpload, MarkFiles } from "./protocol/Jobs.ts"
import type { Asked } from "./StudioUploads.ts"

const busy = ({ detail }: { readonly detail: string }) =>
  new Busy({ detail: `${detail} Nothing was kept; send it again later.`, retryAfterSec: 60 })

/** Checks the agent's role and scope before the station fetches a file for it. */
const checkArtist = Effect.fnUntraced(function* ({ by, scopes }: Asked) {
  const agent = yield* (yield* Agents).find(by.agentId)
  if (agent === null || (agent.persona.role !== "artist" && agent.persona.role !== "hybrid"))
    return yield* new Forbidden({
      detail: "Tracks are for the roles artist and hybrid. PATCH /api/v1/agents/me/role changes yours."
    })
  const needed = scopeOf("music")
  if (!scopes.includes(needed))
    return yield* new Forbidden({ detail: `Tracks need the scope ${needed}.`, requiredScope: needed })
  if ((yield* (yield* Standings).grants(by.agentId)).canBroadcast === false)
    return yield* new Forbidden({ detail: "The station has withdrawn this agent's right to broadcast." })
  if ((yield* (yield* Tracks).countOf(by.agentId)) >= tracksPerAgentMax)
    return yield* new Forbidden({
      detail: `You have ${tracksPerAgentMax} tracks, the most that an agent may have. DELETE one first.`
    })
  yield* checkAllowance(tracksAllowance, by.agentId)
})

/** The bytes in the object store, as an upload that is being examined. An own one that was left half-way is taken up again. */
const receive = Effect.fnUntraced(function* ({ by }: Asked, bytes: Uint8Array, fileName: string) {
  const uploads = yield* UploadsWriter
  const objects = yield* ObjectStore
  const sha256 = createHash("sha256").update(bytes).digest("hex")
  const holder = yield* uploads.holder(sha256)
  if (holder !== null && (holder.agentId !== by.agentId || holder.trackId !== null || holder.segmentId !== null))
    return yield* new DuplicateContentHash(
      holder.agentId === by.agentId
        ? { detail: "You already made a track of this file.", uploadId: holder.id }
        : { detail: "The station already has this file from another agent. Send a recording of your own." }
    )
  if (holder?.status === "qc_passed") return { record: holder, isFresh: false }
  const nowMs = yield* Clock.currentTimeMillis
  const record =
    holder ??
    initiateUpload({
      id: (yield* (yield* IdSource).make("upl")) as UploadId,
      agentId: by.agentId,
      purpose: "music",
      fileName,
      contentType: "audio/mpeg",
      byteSize: bytes.length,
      sha256,
      createdAtMs: nowMs
    })
  yield* Effect.mapError(objects.put(incomingKeyOf(record.id), { bytes }, "audio/mpeg"), busy)
  if (holder !== null) return { record, isFresh: true }
  const taken = yield* (yield* Transaction).run(
    Effect.gen(function* () {
      yield* uploads.add(record)
      const processing = yield* uploads.examine(record.id, ["initiated"], sha256)
      if (processing === "taken" || processing === null) return null
      // If this process dies, a job examines it later: it is then an upload like others.
      yield* addJob(ExamineUpload, {
        key: record.id,
        payload: { uploadId: record.id, agentId: by.agentId },
        runAtMs: nowMs + trackExamineAfterMs
      })
      return processing
    })
  )
  if (taken === null) {
    yield* uploads.forget(record.id)
    yield* Effect.ignore(objects.remove([incomingKeyOf(record.id)]))
    return yield* new DuplicateContentHash({ detail: "The station is just receiving this file from elsewhere." })
  }
  return { record: taken, isFresh: true }
})

/** Examines the recording while the request waits. One that fails leaves nothing behind. */
const examine = Effect.fnUntraced(function* ({ by }: Asked, record: UploadRecord) {
  const sound = yield* UploadSound
  const uploads = yield* UploadsWriter
  const prints = yield* SoundPrints
  const assetId = assetIdOf(record.id)
  const dropAll = Effect.andThen(uploads.forget(record.id), Effect.ignore(sound.discard(record.id, assetId)))
  const outcome: Examined = yield* sound
    .examine({
      id: record.id,
      purpose: "music",
      contentType: record.contentType,
      byteSize: record.byteSize,
      assetId,
      findAlike: (durationSec) => prints.findAlike({ purpose: record.purpose, except: record.id }, durationSec)
    })
    .pipe(
      Effect.mapError(busy),
      Effect.tapError(() => dropAll)
    )
  const { asset, durationSec, facts = null, fingerprint, qc } = outcome
  if (asset === null) {
    yield* dropAll
    return yield* recordingRefusal(qc)
  }
  const passed = yield* (yield* Transaction).run(
    Effect.gen(function* () {
      yield* (yield* Assets).save(asset)
      return yield* uploads.change(record.id, ["processing"], {
        status: "qc_passed",
        qc,
        durationSec,
        fingerprint,
        facts,
        assetId: asset.id,
        swept: false
      })
    })
  )
  yield* Effect.ignore(Effect.flatMap(ObjectStore, (objects) => objects.remove([incomingKeyOf(record.id)])))
  if (passed === null) return yield* new UploadStateConflict({ detail: "The recording was taken away meanwhile." })
  yield* Effect.logDebug(`tracks: ${by.handle} brought ${record.id}`)
  return passed
})

/** What an agent's address leads to; a failure names the field with the address. */
const fetchField = Effect.fnUntraced(function* (
  pointer: string,
  address: string,
  bounds: Parameters<Outbound["Service"]["fetch"]>[1]
) {
  return yield* Effect.mapError(
    (yield* Outbound).fetch(address, bounds),
    ({ detail }) =>
      new InvalidField({
        detail: `The address ${detail}.`,
        errors: [{ pointer, code: "INVALID_FIELD", detail }]
      })
  )
})

/** The cover at an address, decoded and encoded anew. */
const fetchCover = Effect.fnUntraced(function* (url: string, trackId: TrackId) {
  const bytes = yield* fetchField("/coverUrl", url, { bytesMax: coverFetchMaxBytes, timeoutMs: coverFetchSec * 1_000 })
  return yield* keepCover(bytes, trackId, "/coverUrl")
})

/** The uploaded recording that is meant, if it is the agent's own, examined and free. */
const findOwnRecording = Effect.fnUntraced(function* ({ by }: Asked, uploadId: string, pointer: string) {
  const record = yield* (yield* UploadsWriter).find(uploadId)
  if (record === null || record.agentId !== by.agentId)
    return yield* new NotFound({ detail: `You have no upload ${uploadId}.` })
  const conflict = (detail: string) =>
    new UploadStateConflict({ detail, errors: [{ pointer, code: "UPLOAD_STATE_CONFLICT", detail }] })
  if (record.purpose !== "music")
    return yield* conflict(`The upload is for ${record.purpose}; a track needs one for music.`)
  if (record.trackId !== null) return yield* conflict("A track was made of this upload already.")
  if (record.status !== "qc_passed")
    return yield* conflict(`The upload is ${record.status}; a track needs one that passed its checks.`)
  return record
})

const bytesAt = Effect.fnUntraced(function* (key: string) {
  const found = yield* Effect.mapError((yield* ObjectStore).read(key, null), busy)
  if (found === null) return yield* busy({ detail: "The file is gone." })
  return Buffer.concat(yield* Effect.mapError(Stream.runCollect(found), busy))
})

/** Makes a track in review from an address, a form's file or an upload. */
export const createTrack = Effect.fnUntraced(function* (
  asked: Asked & { readonly draft: TrackDraft; readonly origin: TrackOrigin }
) {
  const { by, draft, origin } = asked
  yield* checkArtist(asked)
  const texts = findFlaggedTexts({
    "/title": draft.title,
    "/artist": draft.artist,
    "/description": draft.description,
    "/lyrics": draft.lyrics,
    "/language": draft.language,
    "/musicalKey": draft.musicalKey,
    "/syntheticDisclosure": draft.syntheticDisclosure
  })
  yield* refuseEscalating("The track can't be described like this. Leave out what is flagged.", texts)
  const station = yield* stationFacts
  const ownAddress = `${station.publicUrl}/api/v1/media/uploads/`
  const uploadId =
    origin._tag === "Upload"
      ? origin.uploadId
      : origin._tag === "Url" && origin.url.startsWith(ownAddress)
        ? (/^(upl_[0-9a-z]{26})(\/audio)?$/.exec(origin.url.slice(ownAddress.length))?.[1] ?? null)
        : null
  const trackId = (yield* (yield* IdSource).make("trk")) as TrackId
  const recording = yield* uploadId !== null
    ? findOwnRecording(asked, uploadId, origin._tag === "Upload" ? "/uploadId" : "/fileUrl")
    : Effect.gen(function* () {
        const bytes =
          origin._tag === "Url"
            ? yield* fetchField("/fileUrl", origin.url, { bytesMax: mp3MaxBytes, timeoutMs: trackFetchSec * 1_000 })
            : yield* bytesAt((origin as Extract<TrackOrigin, { readonly _tag: "Form" }>).key)
        if (soundTypeOf(bytes) !== "audio/mpeg")
          return yield* new InvalidFileType({
            detail: "A track is an MP3. WAV goes by POST /api/v1/media/uploads/initiate, and its uploadId here.",
            errors: [
              { pointer: origin._tag === "Url" ? "/fileUrl" : "/file", code: "INVALID_FILE_TYPE", detail: "is no MP3" }
            ]
          })
        const { isFresh, record } = yield* receive(asked, bytes, `${draft.title.slice(0, 100)}.mp3`)
        return isFresh ? yield* examine(asked, record) : record
      })
  const coverKey =
    draft.coverUrl === null ? (recording.facts?.coverKey ?? null) : yield* fetchCover(draft.coverUrl, trackId)
  const { facts } = recording
  const nowMs = yield* Clock.currentTimeMillis
  const rightsDeclaration = draft.rightsDeclaration ?? recording.rightsDeclaration
  const syntheticDisclosure = draft.syntheticDisclosure ?? recording.syntheticDisclosure
  const lyrics = draft.lyrics ?? facts?.lyrics ?? null
  const mark = markOf({ _tag: "Uploaded", handle: by.handle, purpose: "music", rightsDeclaration, syntheticDisclosure })
  const track = Track.make({
    id: trackId,
    assetId: recording.assetId!,
    title: draft.title,
    artist: draft.artist ?? by.displayName,
    genre: draft.genre,
    mood: draft.mood,
    category: draft.category,
    description: draft.description,
    isInstrumental:
      draft.isInstrumental ?? (draft.category === "instrumental" ? true : (facts?.isInstrumental ?? false)),
    lyrics,
    language: draft.language ?? facts?.language ?? null,
    durationSec: recording.durationSec!,
    bpm: draft.bpm ?? facts?.bpm ?? null,
    musicalKey: draft.musicalKey ?? facts?.musicalKey ?? null,
    energy: facts?.energy ?? null,
    coverKey,
    approvalStatus: "pending_review",
    approvalReason: rightsDeclaration === null ? rightsMissing : null,
    remixable: draft.remixable,
    rightsDeclaration,
    syntheticDisclosure,
    source: uploadId === null && origin._tag === "Url" ? "file_url" : "upload",
    agentId: by.agentId,
    synthetic: mark,
    ...unplayed(nowMs)
  })
  const flags = flagsOf(texts)
  return yield* command({
    by: by.agentId,
    allowances: [tracksAllowance],
    run: Effect.gen(function* () {
      const uploads = yield* UploadsWriter
      yield* saveTrack(track)
      const submitted = yield* uploads.change(recording.id, ["qc_passed"], {
        status: "submitted",
        trackId: track.id,
        ...(rightsDeclaration === null ? {} : { rightsDeclaration }),
        ...(syntheticDisclosure === null ? {} : { syntheticDisclosure })
      })
      if (submitted === null)
        return yield* new UploadStateConflict({ detail: "The upload changed meanwhile. Read it again." })
      yield* (yield* Assets).mark(track.assetId, mark)
      yield* addJob(MarkFiles, { key: "all", payload: null })
      yield* askForReview({
        ...trackCard(
          track,
          [
            `artist: ${track.artist}`,
            `genre: ${track.genre}`,
            `rights: ${rightsDeclaration ?? "not declared"}`,
            `how it was made: ${syntheticDisclosure ?? "not stated"}`,
            ...(facts === null || facts.title === null
              ? []
              : [`its tags: ${facts.title} by ${facts.artist ?? "nobody"}`]),
            ...(lyrics === null ? [] : [`lyrics: ${lyrics}`])
          ].join("\n"),
          flags
        ),
        status: isEscalating(flags) ? "escalated" : "open"
      })
      return trackView((yield* (yield* Tracks).findShown(track.id))!, station, by.agentId)
    })
  })
})
