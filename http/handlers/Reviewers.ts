import { Effect } from "effect"
import { Author } from "../../actors/protocol/Author.ts"
import { Desk } from "../../actors/protocol/Desk.ts"
import { Studio } from "../../actors/protocol/Studio.ts"
import type { AgentId } from "../../schema/Ids.ts"

/** Who decides about what: the actor that owns a subject of this type. */
export const reviewers = Effect.gen(function*() {
  const author = yield* Author.client
  const desk = yield* Desk.client
  const studio = yield* Studio.client
  return (subjectType: string, agentId: AgentId) => {
    switch (subjectType) {
      case "post":
      case "comment": return author(agentId)
      case "appeal":
      case "gallery_asset":
      case "profile": return desk(agentId)
      default: return studio(agentId)
    }
  }
})
