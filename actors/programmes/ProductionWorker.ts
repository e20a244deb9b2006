import { Effect, Layer, Stream } from "effect"
import { productionWorksMax, productionLookSec, productionsAtOnce } from "../../engine/rules/programmes/limits.ts"
import { Productions } from "../../engine/store/programmes/Productions.ts"
import type { AgentId } from "../../schema/Ids.ts"
import type { StationEvent } from "../../schema/Events.ts"
import { EventBus } from "../runtime/EventBus.ts"
import { addJob, backOff, jobHandler } from "../runtime/Jobs.ts"
import { logFailure, superviseForEver } from "../runtime/Supervision.ts"
import { WorkProduction } from "./protocol/Jobs.ts"
import { Showrunner } from "./protocol/Showrunner.ts"

/**
 * Runs the steps of a production. Each step adds the next job. After too many tries the showrunner fails the run and may continue with a
 * later one.
 */
const workProduction = jobHandler(WorkProduction, {
  atOnce: productionsAtOnce,
  restMs: backOff(productionLookSec * 1_000, productionLookSec * 64_000),
  work: Effect.fnUntraced(function* ({ agentId, productionId }, { tries }) {
    yield* (yield* Showrunner.client)(agentId).WorkProduction({ productionId, tired: tries > productionWorksMax })
  }),
  giveUp: Effect.fnUntraced(function* ({ agentId, productionId }) {
    yield* (yield* Showrunner.client)(agentId).WorkProduction({ productionId, tired: true })
  })
})

export const productionJobs = [workProduction] as const

/** The agent whose plan or speech changed by an event. */
const moverOf = (event: StationEvent): AgentId | null =>
  event._tag === "PlanDecided" ||
  event._tag === "PlanAired" ||
  event._tag === "SegmentVoiced" ||
  event._tag === "SegmentFailed"
    ? event.agentId
    : null

/** Wakes the productions that follow a changed plan or segment. A missed event is noticed at the next poll. */
export const ProductionNewsLive = Layer.effectDiscard(
  Effect.gen(function* () {
    const bus = yield* EventBus
    const productions = yield* Productions
    const look = Effect.fnUntraced(function* (agentId: AgentId) {
      for (const productionId of yield* productions.listFollowing(agentId))
        yield* addJob(WorkProduction, { key: productionId, payload: { productionId, agentId } })
    })
    const news = bus.events.pipe(
      Stream.runForEach(({ event }) => {
        const agentId = moverOf(event)
        return agentId === null ? Effect.void : logFailure("productions: nobody was called", look(agentId))
      })
    )
    yield* Effect.forkScoped(superviseForEver("ProductionNews", productionLookSec * 1_000, news))
  })
)
