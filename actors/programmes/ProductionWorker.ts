import { Cause, Clock, Effect, Layer, Stream, Context } from "effect"
import {
  productionLeaseSec,
  productionLeasesMax,
  productionLookSec,
  productionTickSec,
  productionsAtOnce
} from "../../engine/rules/programmes/limits.ts"
import { Productions } from "../../engine/store/programmes/Productions.ts"
import type { AgentId } from "../../schema/Ids.ts"
import type { StationEvent } from "../../schema/Events.ts"
import { work, type Wakeup, makeWakeup } from "../runtime/Wakeup.ts"
import { EventBus } from "../runtime/EventBus.ts"
import { renewLease } from "../runtime/renewLease.ts"
import { Showrunner } from "./protocol/Showrunner.ts"
import { quietly, superviseForEver } from "../runtime/Supervision.ts"

/** Calls the worker for shows in the making. */
export class ProductionBell extends Context.Service<ProductionBell, Wakeup>()("longwave/actors/ProductionBell") {
  static readonly layer = Layer.effect(ProductionBell, makeWakeup)
}

const leaseMs = productionLeaseSec * 1_000
/** Goes on with what is due until nothing is, one after the other. What a process that died had begun is taken up when its lease has ended. */
export const productionRound = Effect.fn("ProductionJobs.round")(function* () {
  const productions = yield* Productions
  const showrunner = yield* Showrunner.client
  for (;;) {
    const nowMs = yield* Clock.currentTimeMillis
    const lease = yield* productions.lease(nowMs, nowMs + leaseMs)
    if (lease === null) return
    const { id, leases } = lease
    yield* showrunner(lease.agentId)
      .WorkProduction({ productionId: id, tired: leases > productionLeasesMax })
      .pipe(
        renewLease(leaseMs, (atMs) => productions.prolong(id, atMs, atMs + leaseMs)),
        // Stopped in order, the next start need not wait for the lease to end.
        Effect.onInterrupt(() => Effect.ignoreCause(productions.wake(id, 0))),
        Effect.catchCause((cause) =>
          Cause.hasInterruptsOnly(cause)
            ? Effect.interrupt
            : Effect.andThen(
                Effect.logWarning(`productions: ${id} did not get on`, cause),
                productions.wake(id, nowMs + productionLookSec * 1_000 * 2 ** (leases - 1))
              )
        )
      )
  }
})
/** Whose plans and voices have moved on by an event. */
const moverOf = (event: StationEvent): AgentId | null =>
  event._tag === "PlanDecided" ||
  event._tag === "PlanAired" ||
  event._tag === "SegmentVoiced" ||
  event._tag === "SegmentFailed"
    ? event.agentId
    : null
/** The worker for shows in the making: called by every command and by news of their plans, and looking by itself for what was left. */
export const ProductionWorkerLive = Layer.effectDiscard(
  Effect.gen(function* () {
    const bell = yield* ProductionBell
    const bus = yield* EventBus
    const productions = yield* Productions
    const news = bus.events.pipe(
      Stream.runForEach(({ event }) => {
        const agentId = moverOf(event)
        return agentId === null
          ? Effect.void
          : quietly(
              "productions: nobody was called",
              Effect.flatMap(
                Effect.flatMap(Clock.currentTimeMillis, (nowMs) => productions.rouse(agentId, nowMs)),
                (roused) => (roused === 0 ? Effect.void : bell.ring)
              )
            )
      })
    )
    yield* Effect.forkScoped(superviseForEver("ProductionNews", productionTickSec * 1_000, news))
    // Each goes its own way: one that waits for its words keeps no other waiting, whenever that comes.
    yield* Effect.forEach(
      Array.from({ length: productionsAtOnce }),
      () => work("ProductionJobs", bell, productionTickSec, productionRound()),
      { discard: true }
    )
  })
).pipe(Layer.provide(ProductionBell.layer))
