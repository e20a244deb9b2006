import { Effect } from "effect"
import { Entity } from "effect/cluster"
import type { AgentId } from "../schema/Ids.ts"
import { countedAll } from "./Counting.ts"
import { transient } from "./Kinds.ts"
import { Showrunner } from "./protocol/Showrunner.ts"
import { showrunnerShows } from "./ShowrunnerShows.ts"

/** One agent's shows: its mailbox is where they begin and change, one after the other. */
export const ShowrunnerLive = Showrunner.toLayer(Effect.gen(function*() {
  const agentId = (yield* Entity.CurrentAddress).entityId as unknown as AgentId
  return Showrunner.of(countedAll("Showrunner", showrunnerShows(agentId)))
}), transient)
