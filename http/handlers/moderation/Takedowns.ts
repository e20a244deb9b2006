import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Audience } from "../../../actors/listeners/protocol/Audience.ts"
import { Author } from "../../../actors/social/protocol/Author.ts"
import { Desk } from "../../../actors/agents/protocol/Desk.ts"
import { Producer } from "../../../actors/programmes/protocol/Producer.ts"
import { Station } from "../../../actors/air/protocol.ts"
import { Studio } from "../../../actors/segments/protocol/Studio.ts"
import { Comments } from "../../../engine/store/social/Comments.ts"
import { GalleryAssets } from "../../../engine/store/agents/GalleryAssets.ts"
import { Posts } from "../../../engine/store/social/Posts.ts"
import { Segments, audioUrl } from "../../../engine/store/segments/Segments.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import { Topics } from "../../../engine/store/programmes/Topics.ts"
import { Tracks } from "../../../engine/store/music/Tracks.ts"
import { NotFound, SegmentNotFound, TrackNotFound } from "../../../schema/Problems.ts"
import type { Judgement } from "../../../schema/moderation/Review.ts"
import type { Track } from "../../../schema/music/Track.ts"
import { CurrentOperator } from "../../api/auth/Authorization.ts"
import { OpsApi } from "../../api/OpsApi.ts"
import { limitOf } from "../../api/segments/Segments.ts"
import { send } from "../../Send.ts"
import { following, unknownCursor } from "../Commands.ts"
import { messageFound } from "../listeners/Messages.ts"
import { messagesForOps } from "../listeners/MessageViews.ts"
import { iso } from "../../../schema/time/Instant.ts"
const trackView = (track: Track, facts: StationFacts["Service"]) => {
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
    audioUrl: audioUrl(track.assetId, facts)!,
    createdAt: iso(track.createdAtMs)
  }
}
interface Asked {
  readonly params: {
    readonly type: "segment" | "track" | "post" | "comment" | "gallery_asset" | "write_in" | "call_in" | "topic"
    readonly id: string
  }
  readonly payload: { readonly reason?: string | null }
}
export const TakedownsHandlers = HttpApiBuilder.group(
  OpsApi,
  "subjects",
  Effect.fn(function* (handlers) {
    const facts = yield* StationFacts
    const { slug } = facts
    const station = (yield* Station.client)(slug)
    const studio = yield* Studio.client
    const audience = yield* Audience.client
    const author = yield* Author.client
    const desk = yield* Desk.client
    const producer = yield* Producer.client
    const judge = (judgement: Judgement) =>
      Effect.fnUntraced(function* ({ params: { id, type }, payload }: Asked) {
        const act = { actor: (yield* CurrentOperator).name, reason: payload.reason ?? null }
        if (type === "segment") {
          const segment = yield* (yield* Segments).find(id)
          if (segment === null) return yield* new SegmentNotFound({ detail: `There is no segment ${id}.` })
          return { segment: yield* send(studio(segment.agentId).Judge({ segmentId: segment.id, judgement, ...act })) }
        }
        if (type === "gallery_asset") {
          const found = yield* (yield* GalleryAssets).find(id)
          if (found === null) return yield* new NotFound({ detail: `There is no picture ${id}.` })
          return { asset: yield* send(desk(found.agentId).JudgeAsset({ assetId: id, judgement, ...act })) }
        }
        if (type === "write_in" || type === "call_in") {
          const found = yield* messageFound(id)
          yield* send(audience(found.id).JudgeMessage({ interactionId: found.id, judgement, ...act }))
          return { message: (yield* messagesForOps([yield* messageFound(id)]))[0]! }
        }
        if (type === "topic") {
          const topic = yield* (yield* Topics).find(id)
          if (topic === null) return yield* new NotFound({ detail: `There is no topic ${id}.` })
          return {
            topic: yield* send(producer(topic.agentId ?? slug).JudgeTopic({ topicId: topic.id, judgement, ...act }))
          }
        }
        if (type !== "track") {
          const written = yield* type === "post" ? (yield* Posts).find(id) : (yield* Comments).find(id)
          if (written === null) return yield* new NotFound({ detail: `There is no ${type} ${id}.` })
          return yield* send(author(written.agentId).JudgeWriting({ type, id, judgement, ...act }))
        }
        const track = yield* (yield* Tracks).find(id)
        if (track === null) return yield* new TrackNotFound({ detail: `There is no track ${id}.` })
        const { approvalStatus } = yield* send(station.JudgeTrack({ trackId: track.id, judgement, ...act }))
        return { track: { id: track.id, approvalStatus } }
      })
    return handlers.handleAll({
      tracks: Effect.fn(function* ({ query }) {
        const page = yield* (yield* Tracks).list({
          status: query.status ?? null,
          text: query.q || null,
          limit: limitOf(query),
          cursor: query.cursor ?? null
        })
        if (page === null) return yield* unknownCursor
        return { tracks: page.tracks.map((track) => trackView(track, facts)), ...following(page.next) }
      }),
      remove: judge("remove"),
      hold: judge("hold"),
      release: judge("release")
    })
  })
)
