import { Cause, Clock, Effect, Layer, Stream } from "effect"
import { productionLeaseSec, productionLeasesMax, productionsAtOnce, productionTickSec } from "../engine/Limits.ts"
import { Productions } from "../engine/store/Productions.ts"
import type { AgentId } from "../schema/Ids.ts"
import type { StationEvent } from "../schema/Events.ts"
import { Bus } from "./Bus.ts"
import { ProductionBell } from "./ProductionBell.ts"
import { Showrunner } from "./protocol/Showrunner.ts"
import { superviseForEver } from "./Supervision.ts"

const leaseMs = productionLeaseSec * 1_000

/** Goes on with what is due until nothing is. What a process that died had begun is taken up when its lease has ended. */
export const productionRound = Effect.fn("ProductionJobs.round")(function*() {
  const productions = yield* Productions
  const showrunner = yield* Showrunner.client
  const one = Effect.gen(function*() {
    for (;;) {
      const nowMs = yield* Clock.currentTimeMillis
      const lease = yield* productions.lease(nowMs, nowMs + leaseMs)
      if (lease === null) return
      yield* showrunner(lease.agentId).WorkProduction({ productionId: lease.id, tired: lease.leases > productionLeasesMax }).pipe(
        // Stopped in order, the next start need not wait for the lease to end.
        Effect.onInterrupt(() => Effect.ignoreCause(productions.wake(lease.id, 0))),
        Effect.catchCause((cause) => Cause.hasInterruptsOnly(cause) ? Effect.interrupt : Effect.logWarning(`productions: ${lease.id} did not get on`, cause))
      )
    }
  })
  // One that waits for its words doesn't keep the others waiting.
  yield* Effect.all(Array.from({ length: productionsAtOnce }, () => one), { concurrency: "unbounded", discard: true })
})

/** Whose plans and voices have moved on by an event. */
const moverOf = (event: StationEvent): AgentId | null =>
  event._tag === "PlanDecided" || event._tag === "PlanAired" || event._tag === "SegmentVoiced" || event._tag === "SegmentFailed" ? event.agentId : null

/** The worker for shows in the making: called by every command and by news of their plans, and looking by itself for what was left. */
export const ProductionJobsLive = Layer.effectDiscard(Effect.gen(function*() {
  const bell = yield* ProductionBell
  const bus = yield* Bus
  const productions = yield* Productions
  const quietly = <E, R>(work: Effect.Effect<void, E, R>) =>
    Effect.catchCause(work, (cause) => Cause.hasInterruptsOnly(cause) ? Effect.interrupt : Effect.logWarning("productions: a round was left out", cause))
  const news = bus.events.pipe(Stream.runForEach(({ event }) => {
    const agentId = moverOf(event)
    return agentId === null ? Effect.void : quietly(Effect.flatMap(Effect.flatMap(Clock.currentTimeMillis, (nowMs) => productions.rouse(agentId, nowMs)), (roused) => roused === 0 ? Effect.void : bell.ring))
  }))
  const wait = Effect.raceFirst(bell.heard, Effect.sleep(`${productionTickSec} seconds`))
  yield* Effect.forkScoped(superviseForEver("ProductionNews", productionTickSec * 1_000, news))
  yield* Effect.forkScoped(superviseForEver("ProductionJobs", productionTickSec * 1_000, Effect.forever(Effect.andThen(quietly(productionRound()), wait))))
})).pipe(Layer.provide(ProductionBell.layer))
