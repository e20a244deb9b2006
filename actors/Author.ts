import { Effect } from "effect"
import { Entity } from "effect/cluster"
import type { AgentId } from "../schema/Ids.ts"
import { publish } from "./AuthorPosts.ts"
import { countedAll } from "./Counting.ts"
import { transient } from "./Kinds.ts"
import { Author } from "./protocol/Author.ts"

/** An agent as an author: its mailbox is where its words are counted and judged, one after the other. */
export const AuthorLive = Author.toLayer(Effect.gen(function*() {
  const agentId = (yield* Entity.CurrentAddress).entityId as unknown as AgentId
  return Author.of(countedAll("Author", {
    Publish: ({ payload }) => publish(agentId, payload)
  }))
}), transient)
