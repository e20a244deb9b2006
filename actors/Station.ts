import { Deferred, Effect, Layer, Ref } from "effect"
import { Entity, Singleton } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { createHash } from "node:crypto"
import { StationConfig } from "../engine/Config.ts"
import { fenceLostRestMs } from "../engine/Limits.ts"
import { Air } from "../engine/ports/Air.ts"
import { lineOf } from "../engine/rules/Rundown.ts"
import { makeId } from "../schema/Ids.ts"
import { FenceLost, type Rundown } from "../schema/Rundown.ts"
import { permanent } from "./Kinds.ts"
import { makePlayout, type Playout, viewOf } from "./Playout.ts"
import { NotInRundown, Station } from "./protocol/Station.ts"
import type { Scheduler } from "./Scheduler.ts"
import { supervise } from "./Supervision.ts"

/** A command that came twice means the same item both times. */
const insertedId = (commandKey: string): string => makeId("itm", 0, createHash("sha256").update(commandKey).digest().subarray(0, 10))

/** Who lost the air can't carry out anything: the caller asks again, and reaches whoever holds it now. */
const inCharge = <A, E>(step: Effect.Effect<A, E | FenceLost>) =>
  Effect.catchIf(step, (error): error is FenceLost => error instanceof FenceLost, Effect.die)

/**
 * Incarnations, one after the other. One that lost the air rests for longer than a shard's lock lives before it asks for it again:
 * by then, whoever woke up from a freeze has been told that the station lives elsewhere, and this fiber is gone.
 */
const makeIncarnations = Effect.gen(function*() {
  const ready = yield* Ref.make(yield* Deferred.make<Playout>())
  const incarnation = Effect.gen(function*() {
    const playout = yield* makePlayout
    yield* Deferred.succeed(yield* Ref.get(ready), playout)
    return yield* playout.run
  }).pipe(
    Effect.ensuring(Effect.flatMap(Deferred.make<Playout>(), (next) => Ref.set(ready, next))),
    Effect.catchIf((error): error is FenceLost => error instanceof FenceLost, (error) =>
      Effect.andThen(Effect.logError("the station lost the air to another incarnation", error), Effect.sleep(fenceLostRestMs)))
  )
  const run = Effect.forever(Effect.catchTag(supervise("Station", incarnation), "Escalated", (fall) =>
    Effect.andThen(Effect.logError("the station falls again and again", fall), Effect.sleep(fenceLostRestMs))))
  return { run, current: Effect.flatMap(Ref.get(ready), Deferred.await) }
})

/** What is on the air, and everything that changes it. One incarnation at a time, by its fencing token. */
export const StationActor = Station.toLayer(
  Effect.gen(function*() {
    yield* Entity.keepAlive(true)
    const air = yield* Air
    const { current, run } = yield* makeIncarnations
    yield* Effect.forkScoped(run)
    const asked = <A, E>(step: (scheduler: Scheduler) => Effect.Effect<A, E | FenceLost>) =>
      Effect.flatMap(current, ({ ask, scheduler }) => inCharge(ask(step(scheduler))))
    const shown = <E>(step: (scheduler: Scheduler) => Effect.Effect<Rundown, E | FenceLost>) => Effect.map(asked(step), viewOf)
    const found = (itemId: string, step: (scheduler: Scheduler) => Effect.Effect<Rundown | null, FenceLost>) =>
      Effect.flatMap(asked(step), (rundown) => rundown === null ? Effect.fail(new NotInRundown({ itemId })) : Effect.succeed(viewOf(rundown)))
    return Station.of({
      Enqueue: ({ payload }) => Effect.map(asked((scheduler) => scheduler.enqueue(payload.segmentId)), (item) => item === null ? null : lineOf(item)),
      Withdraw: ({ payload }) => asked((scheduler) => scheduler.withdraw(payload.segmentId)),
      Skip: ({ payload }) => shown((scheduler) => scheduler.skip(payload.itemId)),
      Hold: () => shown((scheduler) => scheduler.hold(true)),
      Resume: () => shown((scheduler) => scheduler.hold(false)),
      // Sound first: a slow store must not hold an emergency up.
      Emergency: ({ payload }) => {
        const reason = payload.reason ?? "an operator asked for it"
        return Effect.andThen(air.emergency(true, reason), shown((scheduler) => scheduler.emergency(true, reason)))
      },
      ClearEmergency: ({ payload }) => shown((scheduler) => scheduler.emergency(false, payload.reason ?? "an operator asked for it")),
      Insert: ({ payload }) => found(payload.before ?? "", (scheduler) =>
        scheduler.insert(insertedId(payload.commandKey), payload.airable, payload.placement, payload.before, payload.now)),
      Move: ({ payload }) => found(payload.itemId, (scheduler) => scheduler.move(payload.itemId, payload.before)),
      Lock: ({ payload }) => found(payload.itemId, (scheduler) => scheduler.lock(payload.itemId, payload.locked)),
      Drop: ({ payload }) => found(payload.itemId, (scheduler) => scheduler.drop(payload.itemId)),
      Replan: () => shown((scheduler) => scheduler.replan),
      GetRundown: () => Rpc.fork(Effect.flatMap(current, ({ scheduler }) => Effect.map(scheduler.state, viewOf)))
    })
  }),
  permanent
)

/** Wakes the station when the process starts, and again wherever it has moved to. */
const wake = Singleton.make("Station/wake", Effect.gen(function*() {
  const { stationSlug } = yield* StationConfig
  const station = yield* Station.client
  yield* Effect.ignoreCause(station(stationSlug).GetRundown())
}))

/** Needs the ports, the repositories, `Bus`, `ActorTree`, `AsRunKey`, `StationConfig`, files, and the cluster. */
export const StationLive = Layer.mergeAll(StationActor, wake)
