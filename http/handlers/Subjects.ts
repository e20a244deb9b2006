import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Station } from "../../actors/protocol/Station.ts"
import { Studio } from "../../actors/protocol/Studio.ts"
import { Segments } from "../../engine/store/Segments.ts"
import { StationFacts } from "../../engine/store/StationFacts.ts"
import { Tracks } from "../../engine/store/Tracks.ts"
import { SegmentNotFound, TrackNotFound } from "../../schema/Problems.ts"
import type { Judgement } from "../../schema/Review.ts"
import { CurrentOperator } from "../api/Authorization.ts"
import { OpsApi } from "../api/OpsApi.ts"
import { send } from "../Send.ts"

interface Asked {
  readonly params: { readonly type: "segment" | "track"; readonly id: string }
  readonly payload: { readonly reason?: string | null }
}

export const SubjectsHandlers = HttpApiBuilder.group(OpsApi, "subjects", Effect.fn(function*(handlers) {
  const { slug } = yield* StationFacts
  const station = (yield* Station.client)(slug)
  const studio = yield* Studio.client
  const judge = (judgement: Judgement) => Effect.fnUntraced(function*({ params: { id, type }, payload }: Asked) {
    const act = { actor: (yield* CurrentOperator).name, reason: payload.reason ?? null }
    if (type === "segment") {
      const segment = yield* (yield* Segments).find(id)
      if (segment === null) return yield* new SegmentNotFound({ detail: `There is no segment ${id}.` })
      return { segment: yield* send(studio(segment.agentId).Judge({ segmentId: segment.id, judgement, ...act })) }
    }
    const track = yield* (yield* Tracks).find(id)
    if (track === null) return yield* new TrackNotFound({ detail: `There is no track ${id}.` })
    const { approvalStatus } = yield* send(station.JudgeTrack({ trackId: track.id, judgement, ...act }))
    return { track: { id: track.id, approvalStatus } }
  })
  return handlers.handleAll({ remove: judge("remove"), hold: judge("hold"), release: judge("release") })
}))
