import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ReviewRegistry } from "../../../actors/moderation/protocol.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import { Tracks } from "../../../engine/store/music/Tracks.ts"
import type { Judgement, TakedownType } from "../../../schema/moderation/Review.ts"
import type { Track } from "../../../schema/music/Track.ts"

/** What a list and a single read of a track have in common. */
type TrackFacts = Pick<Track, Exclude<keyof Track, "pipe">>
import { CurrentOperator } from "../../api/auth/Authorization.ts"
import { CallUploads } from "../../api/listeners/CallUploads.ts"
import { OpsApi } from "../../api/OpsApi.ts"
import { limitOf } from "../../api/segments/Segments.ts"
import { send } from "../../Send.ts"
import { keyFields, nextCursorOf, unknownCursor, previewAnswer } from "../Commands.ts"
import { readSeenVersion, withVersion } from "../IfMatch.ts"
import { MusicDesk } from "../../../actors/music/protocol/MusicDesk.ts"
import { isDry } from "../../api/Inputs.ts"
import { voteWindowStartMs } from "../../../engine/rules/music/TrackInfluence.ts"
import { rotationOf } from "../../../engine/rules/music/TrackRotation.ts"
import { Fences } from "../../../engine/store/air/Fences.ts"
import type { TrackId } from "../../../schema/Ids.ts"
import { MissingFields, TrackNotFound } from "../../../schema/Problems.ts"
import { iso } from "../../../schema/time/Instant.ts"
import { audioUrl, coverUrl } from "../../../engine/rules/sound/MediaUrl.ts"
const trackView = (track: TrackFacts, facts: StationFacts["Service"]) => {
  const {
    agentId,
    approvalReason,
    approvalStatus,
    artist,
    category,
    durationSec,
    genre,
    id,
    mood,
    playCount,
    rotationClass,
    source,
    synthetic,
    title,
    weight
  } = track
  return {
    id,
    title,
    artist,
    genre,
    mood,
    category,
    source,
    agentId,
    durationSec,
    approvalStatus,
    approvalReason,
    rotationClass,
    weight,
    playCount,
    synthetic,
    lastPlayedAt: track.lastPlayedAtMs === null ? null : iso(track.lastPlayedAtMs),
    description: track.description,
    isInstrumental: track.isInstrumental,
    lyrics: track.lyrics,
    language: track.language,
    bpm: track.bpm,
    musicalKey: track.musicalKey,
    version: String(track.updatedAtMs),
    audioUrl: audioUrl(track.assetId, facts)!,
    coverUrl: coverUrl(track.id, facts),
    hasOwnCover: track.coverKey !== null,
    createdAt: iso(track.createdAtMs)
  }
}
const isTakingOut = (status: string | undefined): boolean => status === "held" || status === "retired"
const nothingToChange = new MissingFields({
  detail: "Send at least one field of the track to change.",
  errors: [{ pointer: "", code: "MISSING_FIELDS", detail: "has no change" }]
})
const reasonMissing = new MissingFields({
  detail: "Give a reason. The agent and readers of the audit log will see it.",
  errors: [{ pointer: "/reason", code: "MISSING_FIELDS", detail: "is required when a track leaves rotation" }]
})
interface Asked {
  readonly params: { readonly type: TakedownType; readonly id: string }
  readonly payload: { readonly reason?: string | null }
}
export const TakedownsHandlers = HttpApiBuilder.group(
  OpsApi,
  "subjects",
  Effect.fnUntraced(function* (handlers) {
    const facts = yield* StationFacts
    const registry = yield* ReviewRegistry
    const musicDesk = yield* MusicDesk.client
    const judge = (judgement: Judgement) =>
      Effect.fnUntraced(function* ({ params, payload }: Asked) {
        const { name } = yield* CurrentOperator
        return yield* send(registry.judge({ ...params, judgement, actor: name, reason: payload.reason ?? null }))
      })
    const files = yield* CallUploads
    const findTrack = Effect.fnUntraced(function* (id: string) {
      const track = yield* (yield* Tracks).find(id as TrackId)
      return track ?? (yield* new TrackNotFound({ detail: `There is no track ${id}.` }))
    })
    return handlers.handleAll({
      tracks: Effect.fnUntraced(function* ({ query }) {
        const page = yield* (yield* Tracks).list({
          status: query.status ?? null,
          category: query.category ?? null,
          source: query.source ?? null,
          agentId: query.agentId ?? null,
          text: query.q || null,
          limit: limitOf(query),
          cursor: query.cursor ?? null
        })
        if (page === null) return yield* unknownCursor
        return { tracks: page.tracks.map((track) => trackView(track, facts)), ...nextCursorOf(page.next) }
      }),
      track: Effect.fnUntraced(function* ({ params: { id } }) {
        const tracks = yield* Tracks
        const track = yield* tracks.findShown(id)
        if (track === null) return yield* new TrackNotFound({ detail: `There is no track ${id}.` })
        const nowMs = yield* Clock.currentTimeMillis
        const known = (yield* tracks.findRotationFacts(id, yield* (yield* Fences).stationId, voteWindowStartMs(nowMs)))!
        return yield* withVersion(
          { track: trackView(track, facts), rotation: rotationOf(known, track.isScheduled, nowMs) },
          track.updatedAtMs
        )
      }),
      changeTrack: Effect.fnUntraced(function* ({ headers, params: { id }, payload: { reason, ...patch }, query }) {
        if (Object.keys(patch).length === 0) return yield* nothingToChange
        if (isTakingOut(patch.approvalStatus) && (reason ?? "") === "") return yield* reasonMissing
        const track = yield* findTrack(id)
        const after = yield* send(
          musicDesk(track.agentId ?? facts.slug).EditTrack({
            trackId: id,
            patch,
            actor: (yield* CurrentOperator).name,
            reason: reason ?? null,
            seen: yield* readSeenVersion(headers)
          })
        )
        const answer = { track: trackView(after, facts) }
        return isDry(query) ? previewAnswer(answer, 200) : yield* withVersion(answer, after.updatedAtMs)
      }),
      addTrack: Effect.fnUntraced(function* ({ headers, payload }) {
        const { file, reason, ...said } = payload
        const { name } = yield* CurrentOperator
        const draft = {
          title: said.title || null,
          artist: said.artist || null,
          genre: said.genre,
          mood: said.mood ?? null,
          category: said.category ?? ("song" as const),
          rightsDeclaration: said.rightsDeclaration,
          syntheticDisclosure: said.syntheticDisclosure || null
        }
        const track = yield* files
          .runWithUpload(file.path, (key) =>
            send(
              musicDesk(facts.slug).AddTrack({ draft, key, fileName: file.name, actor: name, reason: reason || null })
            )
          )
          .pipe(keyFields(headers, [name, draft, file.name]))
        return { track: trackView(track, facts) }
      }),
      setCover: Effect.fnUntraced(function* ({ headers, params: { id }, payload }) {
        const track = yield* findTrack(id)
        const seen = yield* readSeenVersion(headers)
        const { name } = yield* CurrentOperator
        const after = yield* files.runWithUpload(payload.file.path, (key) =>
          send(
            musicDesk(track.agentId ?? facts.slug).SetCover({
              trackId: id,
              key,
              actor: name,
              reason: payload.reason || null,
              seen
            })
          )
        )
        return yield* withVersion({ track: trackView(after, facts) }, after.updatedAtMs)
      }),
      removeCover: Effect.fnUntraced(function* ({ headers, params: { id }, query }) {
        const track = yield* findTrack(id)
        const after = yield* send(
          musicDesk(track.agentId ?? facts.slug).SetCover({
            trackId: id,
            key: null,
            actor: (yield* CurrentOperator).name,
            reason: query.reason ?? null,
            seen: yield* readSeenVersion(headers)
          })
        )
        return yield* withVersion({ track: trackView(after, facts) }, after.updatedAtMs)
      }),
      remove: judge("remove"),
      hold: judge("hold"),
      release: judge("release")
    })
  })
)
