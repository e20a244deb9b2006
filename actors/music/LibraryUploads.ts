import { Clock, Effect, Stream } from "effect"
import { unplayed } from "../../engine/rules/music/Track.ts"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { ObjectStore } from "../../engine/ports/ObjectStore.ts"
import { incomingKeyOf, UploadSound } from "../../engine/ports/UploadSound.ts"
import { assetIdOf } from "../../engine/rules/segments/Upload.ts"
import { markOf } from "../../engine/rules/sound/Synthetic.ts"
import { TracksWriter } from "../../engine/store/music/Tracks.ts"
import { Assets } from "../../engine/store/sound/Assets.ts"
import { SoundPrints } from "../../engine/store/sound/SoundPrints.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { TrackId, UploadId } from "../../schema/Ids.ts"
import { Track } from "../../schema/music/Track.ts"
import type { LibraryDraft } from "../../schema/music/TrackDraft.ts"
import { Busy, InvalidFileType, PreconditionFailed, TrackNotFound } from "../../schema/Problems.ts"
import { soundTypeOf } from "../../schema/SoundType.ts"
import { type Act, record } from "../runtime/audit.ts"
import { command } from "../runtime/Command.ts"
import { addJob } from "../runtime/Jobs.ts"
import { recheck } from "../runtime/StationQueue.ts"
import { MarkFiles } from "../segments/protocol/Jobs.ts"
import { keepCover } from "./Covers.ts"
import { type Told, withProgress } from "../runtime/UnderWay.ts"
import { recordingRefusal } from "./RecordingRefusal.ts"

const busy = ({ detail }: { readonly detail: string }) =>
  new Busy({ detail: `${detail} Nothing was kept; send it again later.`, retryAfterSec: 60 })

const readBytes = Effect.fnUntraced(function* (key: string) {
  const found = yield* Effect.mapError((yield* ObjectStore).read(key, null), busy)
  if (found === null) return yield* busy({ detail: "The file is gone." })
  return Buffer.concat(yield* Effect.mapError(Stream.runCollect(found), busy))
})

/** The name of a file without its folder and ending. */
const titleOf = (fileName: string): string =>
  fileName
    .replace(/^.*[\\/]/, "")
    .replace(/\.[a-z0-9]{1,5}$/i, "")
    .replaceAll("_", " ")
    .trim()

interface Addition extends Act {
  readonly draft: LibraryDraft
  readonly key: string
  readonly fileName: string
}
const addTrack = Effect.fnUntraced(function* ({ actor, draft, fileName, key, reason }: Addition, told: Told) {
  const sound = yield* UploadSound
  const objects = yield* ObjectStore
  const prints = yield* SoundPrints
  const ids = yield* IdSource
  const bytes = yield* readBytes(key)
  const contentType = soundTypeOf(bytes)
  if (contentType === null)
    return yield* new InvalidFileType({
      detail: "A track is an MP3 or a WAV.",
      errors: [{ pointer: "/file", code: "INVALID_FILE_TYPE", detail: "is neither" }]
    })
  const id = (yield* ids.make("upl")) as UploadId
  const assetId = assetIdOf(id)
  const dropAll = Effect.ignore(sound.discard(id, assetId))
  yield* Effect.mapError(objects.put(incomingKeyOf(id), { bytes }, contentType), busy)
  const {
    asset,
    durationSec,
    facts = null,
    qc
  } = yield* sound
    .examine({
      id,
      purpose: "music",
      contentType,
      byteSize: bytes.length,
      assetId,
      findAlike: (durationSec) => prints.findAlike({ purpose: "music", except: id }, durationSec),
      told: (percent) => told(percent, 100)
    })
    .pipe(
      Effect.mapError(busy),
      Effect.tapError(() => dropAll)
    )
  if (asset === null) {
    yield* dropAll
    return yield* recordingRefusal(qc)
  }
  yield* Effect.ignore(objects.remove([incomingKeyOf(id)]))
  const { rightsDeclaration, syntheticDisclosure } = draft
  const mark = markOf({ _tag: "Provided", rightsDeclaration, syntheticDisclosure })
  const nowMs = yield* Clock.currentTimeMillis
  const track = Track.make({
    id: (yield* ids.make("trk")) as TrackId,
    assetId: asset.id,
    title: draft.title ?? facts?.title ?? (titleOf(fileName) || "Untitled"),
    artist: draft.artist ?? facts?.artist ?? (yield* StationConfig).stationName,
    genre: draft.genre,
    mood: draft.mood,
    category: draft.category,
    description: null,
    isInstrumental: draft.category === "instrumental" ? true : (facts?.isInstrumental ?? false),
    lyrics: facts?.lyrics ?? null,
    language: facts?.language ?? null,
    durationSec: durationSec!,
    bpm: facts?.bpm ?? null,
    musicalKey: facts?.musicalKey ?? null,
    energy: facts?.energy ?? null,
    coverKey: facts?.coverKey ?? null,
    approvalStatus: "approved",
    approvalReason: null,
    remixable: false,
    rightsDeclaration,
    syntheticDisclosure,
    source: "upload",
    agentId: null,
    synthetic: mark,
    ...unplayed(nowMs)
  })
  return yield* command({
    run: Effect.gen(function* () {
      const assets = yield* Assets
      yield* assets.save(asset)
      yield* (yield* TracksWriter).save(track)
      yield* assets.mark(track.assetId, mark)
      yield* addJob(MarkFiles, { key: "all", payload: null })
      yield* (yield* Transaction).afterCommit(recheck)
      const { artist, durationSec, title } = track
      yield* record({ actor, reason }, "track.add", { type: "track", id: track.id }, null, {
        title,
        artist,
        durationSec,
        rightsDeclaration
      })
      return track
    })
  })
})

/** Operators' handlers for the sounds and covers of the library. The operator answers for what they bring: it needs no review. */
export const libraryUploads = {
  AddTrack: (message: { readonly payload: Addition }) =>
    withProgress({ kind: "import", subject: message.payload.fileName }, (told) => addTrack(message.payload, told)),
  SetCover: Effect.fnUntraced(function* ({
    payload: { actor, key, reason, seen, trackId }
  }: {
    readonly payload: Act & { readonly trackId: string; readonly key: string | null; readonly seen?: string | null }
  }) {
    const coverKey = key === null ? null : yield* keepCover(yield* readBytes(key), trackId as TrackId, "/file")
    const tracks = yield* TracksWriter
    return yield* command({
      run: Effect.gen(function* () {
        const before = yield* tracks.find(trackId as TrackId)
        if (before === null) return yield* new TrackNotFound({ detail: `There is no track ${trackId}.` })
        const changed = new PreconditionFailed({
          detail: "The track has changed since you read it. Read it again, then change it.",
          errors: [{ pointer: "/headers/if-match", code: "PRECONDITION_FAILED", detail: "is an older version" }],
          version: String(before.updatedAtMs),
          differences: [{ id: before.id, change: "changed", detail: "Its fields or its status are others." }]
        })
        if (seen != null && seen !== String(before.updatedAtMs)) return yield* changed
        const atMs = Math.max(yield* Clock.currentTimeMillis, before.updatedAtMs + 1)
        const after = yield* tracks.setCover(before, coverKey, atMs)
        if (after === null) return yield* changed
        yield* record(
          { actor, reason },
          "track.cover",
          { type: "track", id: trackId },
          { cover: before.coverKey === null ? "drawn" : "own" },
          { cover: coverKey === null ? "drawn" : "own" }
        )
        return after
      })
    })
  })
}
