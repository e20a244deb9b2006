import { Clock, Effect, Schema } from "effect"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { titleCharsMax } from "../../engine/rules/segments/limits.ts"
import { publishGate } from "../../engine/rules/segments/Upload.ts"
import { trackCard, trackView, unplayed } from "../../engine/rules/music/Track.ts"
import { isEscalating, precheck } from "../../engine/rules/moderation/Precheck.ts"
import { markOf } from "../../engine/rules/sound/Synthetic.ts"
import { UploadsWriter } from "../../engine/store/segments/Uploads.ts"
import { type NewSegment, Segments } from "../../engine/store/segments/Segments.ts"
import { Tracks } from "../../engine/store/music/Tracks.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import { type Broadcaster, SegmentDraft } from "../../schema/segments/Submission.ts"
import type { TrackId } from "../../schema/Ids.ts"
import type { UploadRecord } from "../../schema/segments/Upload.ts"
import { notOneOf } from "../../schema/Problem.ts"
import { Forbidden, InvalidGenre, UploadStateConflict } from "../../schema/Problems.ts"
import { Genre, Track } from "../../schema/music/Track.ts"
import { command } from "../runtime/Command.ts"
import { enqueue } from "../runtime/StationQueue.ts"
import type { AirAsk } from "./protocol/Studio.ts"
import { askForReview } from "../moderation/Reviews.ts"
import { type Asked, findOwnUpload } from "./StudioUploads.ts"
import { excerptHash } from "../moderation/excerptHash.ts"
import { stationFacts } from "../../engine/runtime/Config.ts"
import { admitAgent, checkDraft, compose, countSubmission, enter, roomInQueue, standingOf } from "./Submission.ts"
import { saveTrack } from "../music/inTransaction.ts"
import { ownerView } from "../../engine/rules/segments/SegmentView.ts"

const isGenre = Schema.is(Genre)
/** The given title, or the file's name without its extension. */
const titleOf = ({ fileName }: UploadRecord, title: string | null) =>
  title ?? [...fileName.replace(/\.[a-z0-9]{1,5}$/i, "")].slice(0, titleCharsMax).join("")
const movedOn = new UploadStateConflict({ detail: "The upload changed meanwhile. Read it again." })
/** The segment or track made from the upload, in its current state. */
const madeOf = Effect.fnUntraced(function* (upload: UploadRecord, by: Broadcaster) {
  const segment = upload.segmentId === null ? null : yield* (yield* Segments).find(upload.segmentId)
  const track = upload.trackId === null ? null : yield* (yield* Tracks).findShown(upload.trackId)
  return {
    upload,
    segment: segment === null ? null : ownerView(segment, yield* stationFacts),
    track: track === null ? null : trackView(track, yield* stationFacts, by.agentId)
  }
})
/** Submits speech like a script, with its transcript as script. */
const submitSpeech = Effect.fnUntraced(function* (upload: UploadRecord, { ask, by }: Asked & { readonly ask: AirAsk }) {
  const uploads = yield* UploadsWriter
  const draft = SegmentDraft.make({
    category: ask.category ?? "other",
    title: titleOf(upload, ask.title),
    scriptText: upload.transcriptText!,
    stationSlug: null,
    stationId: null,
    agentShowId: ask.agentShowId,
    scheduledForMs: null
  })
  const category = yield* checkDraft(draft, true)
  const { admission, counts } = yield* admitAgent(by, draft)
  yield* roomInQueue(counts.waiting)
  const segment: NewSegment = {
    ...(yield* compose(by, draft, category, admission, "upload", upload.syntheticDisclosure ?? "")),
    assetId: upload.assetId,
    durationSec: upload.durationSec,
    engine: "UPLOAD",
    audioStatus: "ready",
    loudnessLufs: upload.qc?.loudnessLufs ?? null
  }
  return yield* command({
    run: Effect.gen(function* () {
      yield* countSubmission(by.agentId)
      const { id, status } = yield* enter(segment)
      const submitted = yield* uploads.change(upload.id, ["qc_passed"], { status: "submitted", segmentId: id })
      if (submitted === null) return yield* movedOn
      if (status === "queued") yield* (yield* Transaction).afterCommit(enqueue(id))
      return yield* madeOf(submitted, by)
    })
  })
})
/** Makes a track in review. An approved track plays in the rotation. */
const submitTrack = Effect.fnUntraced(function* (upload: UploadRecord, { ask, by }: Asked & { readonly ask: AirAsk }) {
  const uploads = yield* UploadsWriter
  const { grants } = yield* standingOf(by.agentId)
  if (grants.canBroadcast === false)
    return yield* new Forbidden({ detail: "The station has withdrawn this agent's right to broadcast." })
  const genre = ask.genre ?? "experimental"
  if (!isGenre(genre))
    return yield* new InvalidGenre({
      detail: `There is no genre ${genre}. Use one of: ${Genre.literals.join(", ")}.`,
      errors: [notOneOf("/genre", "INVALID_GENRE", Genre.literals)]
    })
  const nowMs = yield* Clock.currentTimeMillis
  const track = Track.make({
    id: (yield* (yield* IdSource).make("trk")) as TrackId,
    assetId: upload.assetId!,
    title: titleOf(upload, ask.title),
    artist: by.displayName,
    genre,
    mood: ask.mood,
    category: "song",
    description: null,
    isInstrumental: upload.facts?.isInstrumental ?? false,
    lyrics: upload.facts?.lyrics ?? null,
    language: upload.facts?.language ?? null,
    durationSec: upload.durationSec!,
    bpm: upload.facts?.bpm ?? null,
    musicalKey: upload.facts?.musicalKey ?? null,
    energy: upload.facts?.energy ?? null,
    coverKey: upload.facts?.coverKey ?? null,
    approvalStatus: "pending_review",
    approvalReason: null,
    remixable: false,
    rightsDeclaration: upload.rightsDeclaration,
    syntheticDisclosure: upload.syntheticDisclosure,
    source: "upload",
    agentId: by.agentId,
    synthetic: markOf({ _tag: "Uploaded", handle: by.handle, ...upload }),
    ...unplayed(nowMs)
  })
  const { flags } = precheck(`${track.title}\n${upload.syntheticDisclosure ?? ""}`, excerptHash)
  return yield* command({
    run: Effect.gen(function* () {
      yield* saveTrack(track)
      const submitted = yield* uploads.change(upload.id, ["qc_passed"], { status: "submitted", trackId: track.id })
      if (submitted === null) return yield* movedOn
      yield* askForReview({
        ...trackCard(
          track,
          [
            `artist: ${track.artist}`,
            `genre: ${genre}`,
            `rights: ${upload.rightsDeclaration}`,
            `how it was made: ${upload.syntheticDisclosure}`
          ].join("\n"),
          flags
        ),
        status: isEscalating(flags) ? "escalated" : "open"
      })
      return yield* madeOf(submitted, by)
    })
  })
})
/** Submits a recording. A repeat answers the first result. */
export const submitForAir = Effect.fnUntraced(function* (
  asked: Asked & { readonly uploadId: string; readonly ask: AirAsk }
) {
  const upload = yield* findOwnUpload(asked)
  if (upload.segmentId !== null || upload.trackId !== null)
    return yield* new UploadStateConflict({ detail: "It is already submitted for air." })
  const { blockers, missing, ready } = publishGate(upload)
  if (!ready) {
    return yield* new UploadStateConflict({
      detail: blockers[0]?.detail ?? `Add the missing fields by PATCH first: ${missing.join(", ")}.`,
      missing,
      errors: missing.map((field) => ({
        pointer: `/${field}`,
        code: "MISSING_FIELDS",
        detail: "must be described first"
      }))
    })
  }
  return yield* upload.purpose === "speech" ? submitSpeech(upload, asked) : submitTrack(upload, asked)
})
