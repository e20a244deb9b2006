import { Effect, Layer } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import type { AgentId } from "../schema/Ids.ts"
import { counted, countedAll } from "./Counting.ts"
import { transient } from "./Kinds.ts"
import { ProductionBell } from "./ProductionBell.ts"
import { work } from "./ProductionWork.ts"
import { Showrunner } from "./protocol/Showrunner.ts"
import { showrunnerProductions } from "./ShowrunnerProductions.ts"
import { showrunnerShows } from "./ShowrunnerShows.ts"

/**
 * One agent's shows: its mailbox is where they begin and change, one after the other. The work at one goes on beside it, for a
 * writer takes minutes: what has moved on meanwhile isn't written over.
 */
export const ShowrunnerLive = Showrunner.toLayer(Effect.gen(function*() {
  const agentId = (yield* Entity.CurrentAddress).entityId as unknown as AgentId
  return Showrunner.of({
    ...countedAll("Showrunner", { ...showrunnerShows(agentId), ...showrunnerProductions(agentId) }),
    WorkProduction: ({ payload }) => Rpc.fork(counted("Showrunner", "done")(work(payload.productionId, payload.tired)))
  })
}), transient).pipe(Layer.provide(ProductionBell.layer))
