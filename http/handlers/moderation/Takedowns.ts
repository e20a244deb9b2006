import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ReviewRegistry } from "../../../actors/moderation/protocol.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import { Tracks } from "../../../engine/store/music/Tracks.ts"
import type { Judgement, TakedownType } from "../../../schema/moderation/Review.ts"
import type { Track } from "../../../schema/music/Track.ts"
import { CurrentOperator } from "../../api/auth/Authorization.ts"
import { OpsApi } from "../../api/OpsApi.ts"
import { limitOf } from "../../api/segments/Segments.ts"
import { send } from "../../Send.ts"
import { following, unknownCursor } from "../Commands.ts"
import { iso } from "../../../schema/time/Instant.ts"
import { audioUrl } from "../../../engine/rules/sound/MediaUrl.ts"
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
  readonly params: { readonly type: TakedownType; readonly id: string }
  readonly payload: { readonly reason?: string | null }
}
export const TakedownsHandlers = HttpApiBuilder.group(
  OpsApi,
  "subjects",
  Effect.fn(function* (handlers) {
    const facts = yield* StationFacts
    const registry = yield* ReviewRegistry
    const judge = (judgement: Judgement) =>
      Effect.fnUntraced(function* ({ params, payload }: Asked) {
        const { name } = yield* CurrentOperator
        return yield* send(registry.judge({ ...params, judgement, actor: name, reason: payload.reason ?? null }))
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
