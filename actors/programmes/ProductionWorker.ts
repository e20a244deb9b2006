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

/** Each step adds the job of the next: one that was tried too often is told to its showrunner, which may have a later run to go on with. */
const workProduction = jobHandler(WorkProduction, {
  atOnce: productionsAtOnce,
  restMs: backOff(productionLookSec * 1_000, productionLookSec * 64_000),
  work: Effect.fn("Productions.work")(function* ({ agentId, productionId }, { tries }) {
    yield* (yield* Showrunner.client)(agentId).WorkProduction({ productionId, tired: tries > productionWorksMax })
  }),
  givenUp: Effect.fn("Productions.giveUp")(function* ({ agentId, productionId }) {
    yield* (yield* Showrunner.client)(agentId).WorkProduction({ productionId, tired: true })
  })
})

export const productionJobs = [workProduction] as const

/** Whose plans and voices have moved on by an event. */
const moverOf = (event: StationEvent): AgentId | null =>
  event._tag === "PlanDecided" ||
  event._tag === "PlanAired" ||
  event._tag === "SegmentVoiced" ||
  event._tag === "SegmentFailed"
    ? event.agentId
    : null

/** News of plans and voices has the productions that wait for them looked at. What is missed is seen at the next look. */
export const ProductionNewsLive = Layer.effectDiscard(
  Effect.gen(function* () {
    const bus = yield* EventBus
    const productions = yield* Productions
    const look = Effect.fnUntraced(function* (agentId: AgentId) {
      for (const productionId of yield* productions.following(agentId))
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
