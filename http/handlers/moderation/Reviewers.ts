import { Effect } from "effect"
import { Audience } from "../../../actors/listeners/protocol/Audience.ts"
import { Author } from "../../../actors/social/protocol/Author.ts"
import { Desk } from "../../../actors/agents/protocol/Desk.ts"
import { Producer } from "../../../actors/programmes/protocol/Producer.ts"
import { Room } from "../../../actors/listeners/protocol/Room.ts"
import { Studio } from "../../../actors/segments/protocol/Studio.ts"
import { TrackReviewer } from "../../../actors/music/protocol/TrackReviewer.ts"
import type { ReviewRecord } from "../../../engine/store/moderation.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import type { AgentId } from "../../../schema/Ids.ts"

/** The actor that owns the subject of a review. */
export const reviewers = Effect.gen(function* () {
  const audience = yield* Audience.client
  const author = yield* Author.client
  const desk = yield* Desk.client
  const producer = yield* Producer.client
  const studio = yield* Studio.client
  const trackReviewer = yield* TrackReviewer.client
  const { slug } = yield* StationFacts
  const room = (yield* Room.client)(slug)
  return ({ agentId, subjectId, subjectType }: Pick<ReviewRecord, "agentId" | "subjectType" | "subjectId">) => {
    // Listeners' messages have their own owner; all other subjects belong to agents.
    const owner = agentId as AgentId
    switch (subjectType) {
      case "chat_message":
        return room
      case "write_in":
      case "call_in":
        return audience(subjectId)
      case "post":
      case "comment":
        return author(owner)
      case "appeal":
      case "gallery_asset":
      case "profile":
        return desk(owner)
      case "plan":
      case "topic":
        return producer(agentId ?? slug)
      case "track":
        return trackReviewer(subjectId)
      default:
        return studio(owner)
    }
  }
})
