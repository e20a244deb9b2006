import { Effect, Layer } from "effect"
import { Entity, Singleton } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { createHash } from "node:crypto"
import { StationConfig } from "../engine/Config.ts"
import { Air } from "../engine/ports/Air.ts"
import { lineOf } from "../engine/rules/Rundown.ts"
import { makeId } from "../schema/Ids.ts"
import type { FenceLost, Rundown } from "../schema/Rundown.ts"
import { permanent } from "./Kinds.ts"
import { makePlayout, viewOf } from "./Playout.ts"
import { NotInRundown, Station } from "./protocol/Station.ts"

/** A command that came twice means the same item both times. */
const insertedId = (commandKey: string): string => makeId("itm", 0, createHash("sha256").update(commandKey).digest().subarray(0, 10))

/** Who lost the air can't carry out anything: the caller asks again, and reaches whoever holds it now. */
const inCharge = <A, E>(step: Effect.Effect<A, E | FenceLost>) =>
  Effect.catchIf(step, (error): error is FenceLost => typeof error === "object" && error !== null && "_tag" in error && error._tag === "FenceLost", Effect.die)

/** What is on the air, and everything that changes it. One incarnation at a time, by its fencing token. */
export const StationActor = Station.toLayer(
  Effect.gen(function*() {
    yield* Entity.keepAlive(true)
    const air = yield* Air
    const { ask, run, scheduler } = yield* makePlayout
    yield* Effect.forkScoped(Effect.catchCause(run, (cause) => Effect.logError("the station is no longer in charge of the air", cause)))
    const shown = <E>(step: Effect.Effect<Rundown, E | FenceLost>) => Effect.map(inCharge(ask(step)), viewOf)
    const found = (itemId: string, step: Effect.Effect<Rundown | null, FenceLost>) =>
      Effect.flatMap(inCharge(ask(step)), (rundown) => rundown === null ? Effect.fail(new NotInRundown({ itemId })) : Effect.succeed(viewOf(rundown)))
    return Station.of({
      Enqueue: ({ payload }) => Effect.map(inCharge(ask(scheduler.enqueue(payload.segmentId))), (item) => item === null ? null : lineOf(item)),
      Withdraw: ({ payload }) => inCharge(ask(scheduler.withdraw(payload.segmentId))),
      Skip: ({ payload }) => shown(scheduler.skip(payload.itemId)),
      Hold: () => shown(scheduler.hold(true)),
      Resume: () => shown(scheduler.hold(false)),
      // Sound first: a slow store must not hold an emergency up.
      Emergency: ({ payload }) => {
        const reason = payload.reason ?? "an operator asked for it"
        return Effect.andThen(air.emergency(true, reason), shown(scheduler.emergency(true, reason)))
      },
      ClearEmergency: ({ payload }) => shown(scheduler.emergency(false, payload.reason ?? "an operator asked for it")),
      Insert: ({ payload }) => found(payload.before ?? "", scheduler.insert(insertedId(payload.commandKey), payload.airable, payload.placement, payload.before, payload.now)),
      Move: ({ payload }) => found(payload.itemId, scheduler.move(payload.itemId, payload.before)),
      Lock: ({ payload }) => found(payload.itemId, scheduler.lock(payload.itemId, payload.locked)),
      Drop: ({ payload }) => found(payload.itemId, scheduler.drop(payload.itemId)),
      Replan: () => shown(scheduler.replan),
      GetRundown: () => Rpc.fork(Effect.map(scheduler.state, viewOf))
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
