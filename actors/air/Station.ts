import { Deferred, Effect, Exit, Fiber, Layer, Option, Ref, Semaphore } from "effect"
import { Entity, Singleton } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { createHash } from "node:crypto"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { emergencyPatienceMs, fenceLostRestMs, stationWaitMs } from "../../engine/rules/air/limits.ts"
import { Air } from "../../engine/ports/Air.ts"
import { lineOf } from "../../engine/rules/air/Rundown.ts"
import { AnnouncementsWriter } from "../../engine/store/air/Announcements.ts"
import type { Candidates } from "../../engine/store/air/Candidates.ts"
import { Settings } from "../../engine/store/operations/Settings.ts"
import type { Segments } from "../../engine/store/segments/Segments.ts"
import type { Tracks } from "../../engine/store/music/Tracks.ts"
import { makeId } from "../../schema/Ids.ts"
import { type Airable, FenceLost, type Rundown } from "../../schema/air/Rundown.ts"
import { verifyAsRun } from "./AsRunAudit.ts"
import { type Act, record, recordWhenPossible } from "../runtime/audit.ts"
import { airableOf, emergencyIsOn, snapshotOf, obstacle, requireUnchanged } from "./Intervention.ts"
import { PlayoutConflict, type PreconditionFailed } from "../../schema/Problems.ts"
import { command } from "../runtime/Command.ts"
import { ItemLabel } from "../../schema/air/Air.ts"
import { markOfStation } from "../../schema/Synthetic.ts"
import { EventBus } from "../runtime/EventBus.ts"
import { actorLayer } from "../runtime/actorLayer.ts"
import { permanent } from "../runtime/EntityKinds.ts"
import { MailboxFull } from "../runtime/Mailbox.ts"
import { makePlayout, type Playout, viewOf } from "./Playout.ts"
import { type Chosen, NotInRundown, RundownView, Station } from "./protocol.ts"
import type { Scheduler, SchedulerSteps } from "./Scheduler.ts"
import { announcedAirings, countedAsRun } from "./AiringEvents.ts"
import { PlanAirings } from "../programmes/inTransaction.ts"
import { superviseForEver } from "../runtime/Supervision.ts"
import { withProgress } from "../runtime/UnderWay.ts"

/** Id derived from the command key, so a repeated command names the same item. */
const insertedIdOf = (commandKey: string): string =>
  makeId("itm", 0, createHash("sha256").update(commandKey).digest().subarray(0, 10))

/** A step that lost the fence dies: the caller retries and reaches the new owner. */
const dieWithoutFence = <A, E>(step: Effect.Effect<A, E | FenceLost>) =>
  Effect.catchIf(step, (error): error is FenceLost => error instanceof FenceLost, Effect.die)

/**
 * Runs incarnations in sequence. After a lost fence it rests longer than a shard lock lives: a process that woke from a freeze has learned
 * by then that the station moved, and this fiber has ended.
 */
const makeIncarnations = Effect.gen(function* () {
  const ready = yield* Ref.make(yield* Deferred.make<Playout>())
  const incarnation = Effect.gen(function* () {
    const playout = yield* makePlayout
    yield* Deferred.succeed(yield* Ref.get(ready), playout)
    return yield* playout.run
  }).pipe(
    Effect.ensuring(Effect.flatMap(Deferred.make<Playout>(), (next) => Ref.set(ready, next))),
    Effect.catchIf(
      (error): error is FenceLost => error instanceof FenceLost,
      (error) =>
        Effect.andThen(
          Effect.logError("the station lost the air to another incarnation", error),
          Effect.sleep(fenceLostRestMs)
        )
    )
  )
  const run = superviseForEver("Station", fenceLostRestMs, incarnation)
  // Between incarnations a caller is refused after `stationWaitMs`.
  const current = Effect.flatMap(Ref.get(ready), Deferred.await).pipe(
    Effect.timeout(stationWaitMs),
    Effect.catchTag("TimeoutError", () => Effect.die(new MailboxFull({ actor: "Station" })))
  )
  return { run, current }
})

/** What an operator's command says of itself: the version that it is meant for, and whether it is only tried. */
interface Tried {
  readonly seen?: string | null
  readonly dryRun?: boolean
}

/** The station actor. One incarnation at a time holds the fencing token. */
export const StationActor = actorLayer(
  Station,
  Effect.gen(function* () {
    yield* Entity.keepAlive(true)
    const air = yield* Air
    const bus = yield* EventBus
    const announcements = yield* AnnouncementsWriter
    const settings = yield* Settings
    const { stationSlug } = yield* StationConfig
    const shelves = yield* Effect.context<Candidates | Segments | Tracks>()
    const { current, run } = yield* makeIncarnations
    yield* Effect.forkScoped(run)
    const ask = <A, E>(step: (scheduler: Scheduler) => Effect.Effect<A, E | FenceLost>) =>
      Effect.flatMap(current, ({ ask, scheduler }) => dieWithoutFence(ask(step(scheduler))))
    const askForView = <E>(step: (scheduler: Scheduler) => Effect.Effect<Rundown, E | FenceLost>) =>
      Effect.map(ask(step), viewOf)
    const requireItem = (itemId: string, step: Effect.Effect<Rundown | null, FenceLost>) =>
      Effect.flatMap(step, (rundown) =>
        rundown === null ? Effect.fail(new NotInRundown({ itemId })) : Effect.succeed(rundown)
      )
    /** A step of an operator's command, refused when the rundown has changed since the version that the operator saw. */
    const askOnVersion = <E>(
      { dryRun, seen }: Tried,
      step: (
        scheduler: SchedulerSteps,
        isUnchanged: Effect.Effect<void, PreconditionFailed>
      ) => Effect.Effect<Rundown, E>
    ) =>
      Effect.flatMap(current, ({ ask, scheduler, versions }) =>
        dieWithoutFence(
          ask(
            Effect.gen(function* () {
              const before = yield* scheduler.state
              const isUnchanged = requireUnchanged(versions, viewOf(before), seen)
              if (dryRun === true) return yield* step(scheduler.preview, isUnchanged)
              const after = yield* step(scheduler, isUnchanged)
              if (after.revision !== before.revision) versions.noteCommand(after.revision)
              versions.show(viewOf(after))
              return after
            })
          )
        )
      )
    const runStep = <E>(tried: Tried, step: (scheduler: SchedulerSteps) => Effect.Effect<Rundown, E | FenceLost>) =>
      askOnVersion(tried, (scheduler, isUnchanged) => Effect.andThen(isUnchanged, step(scheduler)))
    /** Checks the choice before changing the rundown. A repeated command finds the item it inserted, even if the rundown has changed since. */
    const insert = (
      chosen: Chosen,
      id: string,
      tried: Tried,
      step: (scheduler: SchedulerSteps, airable: Airable) => Effect.Effect<Rundown, FenceLost | NotInRundown>
    ) =>
      askOnVersion(tried, (scheduler, isUnchanged) =>
        Effect.gen(function* () {
          const rundown = yield* scheduler.state
          if (rundown.onAir?.id === id || rundown.items.some((item) => item.id === id)) return rundown
          yield* isUnchanged
          const airable = yield* Effect.provideContext(airableOf(chosen), shelves)
          const why = obstacle(rundown, airable, yield* air.status)
          return why === null ? yield* step(scheduler, airable) : yield* why
        })
      )
    /** Runs an operator's command, then records the state before and after. */
    const runCommand = <E, R>(
      action: string,
      act: Act & Tried,
      itemId: string | null,
      command: Effect.Effect<Rundown, E, R>
    ) =>
      Effect.gen(function* () {
        const before = yield* (yield* current).scheduler.state
        const after = yield* command
        if (act.dryRun === true) return viewOf(after)
        yield* recordWhenPossible(
          { actor: act.actor, reason: act.reason },
          `playout.${action}`,
          itemId === null ? { type: "playout", id: stationSlug } : { type: "rundown_item", id: itemId },
          snapshotOf(before, itemId),
          snapshotOf(after, itemId)
        )
        return viewOf(after)
      })
    const checking = yield* Semaphore.make(1)
    return Station.of({
      Enqueue: ({ payload }) =>
        Effect.map(
          ask((scheduler) => scheduler.enqueue(payload.segmentId)),
          (item) => (item === null ? null : lineOf(item))
        ),
      Withdraw: ({ payload }) => ask((scheduler) => scheduler.withdraw(payload.segmentId)),
      Recall: ({ payload }) => ask((scheduler) => scheduler.recall(payload.segmentId, payload.dryRun === true)),
      RecallTrack: ({ payload }) => ask((scheduler) => scheduler.recallTrack(payload, payload.dryRun === true)),
      TakeOff: ({ payload }) =>
        ask((scheduler) =>
          Effect.gen(function* () {
            const planned = yield* scheduler.withdraw(payload.segmentId)
            // Read after the withdrawal: the item may have just begun.
            const { onAir } = yield* scheduler.state
            if (onAir?.airable.segmentId !== payload.segmentId) return planned
            yield* scheduler.skip(onAir.id)
            return true
          })
        ),
      Skip: ({ payload }) =>
        runCommand(
          "skip",
          payload,
          null,
          runStep(payload, (scheduler) =>
            Effect.gen(function* () {
              const why = emergencyIsOn(yield* scheduler.state, yield* air.status)
              return why === null ? yield* scheduler.skip(payload.itemId) : yield* why
            })
          )
        ),
      Hold: ({ payload }) =>
        runCommand(
          "hold",
          payload,
          null,
          runStep(payload, (scheduler) => scheduler.hold(true))
        ),
      Resume: ({ payload }) =>
        runCommand(
          "resume",
          payload,
          null,
          runStep(payload, (scheduler) => scheduler.hold(false))
        ),
      // Switches the sound first, outside the mailbox: earlier commands or a slow store must not delay an emergency.
      Emergency: ({ payload }) =>
        Rpc.fork(
          Effect.gen(function* () {
            const reason = payload.reason ?? "ordered by an operator"
            yield* air.emergency(true, reason)
            const booked = yield* Effect.forkDetach(
              runCommand(
                "emergency",
                payload,
                null,
                ask((scheduler) => scheduler.emergency(true, reason))
              )
            )
            const view = yield* Effect.timeoutOption(Fiber.await(booked), emergencyPatienceMs)
            if (Option.isSome(view) && Exit.isSuccess(view.value)) return view.value.value
            return new RundownView({ ...viewOf(yield* (yield* current).scheduler.state), emergency: true })
          })
        ),
      ClearEmergency: ({ payload }) =>
        runCommand(
          "emergency_clear",
          payload,
          null,
          runStep(payload, (scheduler) => scheduler.emergency(false, payload.reason ?? "ordered by an operator"))
        ),
      // The sound first, outside the mailbox, as in an emergency.
      TakeLive: ({ payload: { actor, isSynthetic, reason, title } }) =>
        Rpc.fork(
          Effect.gen(function* () {
            const { emergency } = yield* air.status
            const before = yield* air.live.state
            if (emergency)
              return yield* new PlayoutConflict({ detail: "The emergency programme is on. Clear the emergency first." })
            if (before.takenBy !== null && before.takenBy !== actor)
              return yield* new PlayoutConflict({ detail: `${before.takenBy} has taken the air.` })
            const { stationDisclosure } = yield* settings.current
            yield* air.live.take({
              by: actor,
              label: new ItemLabel({
                title,
                artist: null,
                kind: "other",
                synthetic: isSynthetic ? markOfStation(stationDisclosure) : null
              })
            })
            const after = yield* air.live.state
            yield* recordWhenPossible(
              { actor, reason },
              "playout.take_live",
              { type: "playout", id: stationSlug },
              before,
              after
            )
            return after
          })
        ),
      ConnectLive: ({ payload: { actor, format, reason } }) =>
        recordWhenPossible({ actor, reason }, "playout.send_live", { type: "playout", id: stationSlug }, null, {
          format
        }),
      DisconnectLive: ({ payload: { actor, ended, reason } }) =>
        Effect.gen(function* () {
          // What nobody heard needs no row beside that of its connection.
          if (ended?.onAirSec === 0) return
          yield* recordWhenPossible(
            { actor, reason },
            "playout.live_ended",
            { type: "playout", id: stationSlug },
            null,
            ended ?? { reason: "broken" }
          )
          if (ended === null || ended.reason === "finished") return
          yield* bus.publish({
            _tag: "OpsAlerted",
            what: "live",
            detail: `Live sound of ${actor} ended after ${ended.onAirSec} s on the air: ${ended.reason}.`
          })
        }),
      ReleaseLive: ({ payload }) =>
        Rpc.fork(
          Effect.gen(function* () {
            const before = yield* air.live.state
            yield* ask((scheduler) => scheduler.release(payload.reason ?? "released by an operator"))
            const after = yield* air.live.state
            if (before.takenBy !== null)
              yield* recordWhenPossible(
                { actor: payload.actor, reason: payload.reason },
                "playout.release_live",
                { type: "playout", id: stationSlug },
                before,
                after
              )
            return after
          })
        ),
      Insert: ({ payload }) => {
        const id = insertedIdOf(payload.commandKey)
        return runCommand(
          payload.now ? "insert_now" : "insert",
          payload,
          id,
          insert(payload.chosen, id, payload, (scheduler, airable) =>
            requireItem(
              payload.before ?? "",
              scheduler.insert(id, airable, { _tag: "Flow" }, payload.before, payload.now, payload.reason)
            )
          )
        )
      },
      Replace: ({ payload }) => {
        const id = insertedIdOf(payload.commandKey)
        return runCommand(
          "replace",
          payload,
          payload.itemId,
          insert(payload.chosen, id, payload, (scheduler, airable) =>
            requireItem(payload.itemId, scheduler.replace(payload.itemId, id, airable, payload.reason))
          )
        )
      },
      Move: ({ payload }) =>
        runCommand(
          "move",
          payload,
          payload.itemId,
          runStep(payload, (scheduler) =>
            requireItem(payload.itemId, scheduler.move(payload.itemId, payload.before, payload.reason))
          )
        ),
      Lock: ({ payload }) =>
        runCommand(
          payload.locked ? "lock" : "unlock",
          payload,
          payload.itemId,
          runStep(payload, (scheduler) => requireItem(payload.itemId, scheduler.lock(payload.itemId, payload.locked)))
        ),
      Drop: ({ payload }) =>
        runCommand(
          "drop",
          payload,
          payload.itemId,
          runStep(payload, (scheduler) => requireItem(payload.itemId, scheduler.drop(payload.itemId, payload.reason)))
        ),
      HoldItem: ({ payload }) =>
        runCommand(
          payload.held ? "hold_item" : "release_item",
          payload,
          payload.itemId,
          runStep(payload, (scheduler) =>
            requireItem(payload.itemId, scheduler.holdItem(payload.itemId, payload.held, payload.reason))
          )
        ),
      SwitchAnnouncements: ({ payload: { kind, on, ...act } }) =>
        Effect.gen(function* () {
          yield* command({
            run: Effect.gen(function* () {
              const wasOn = !(yield* announcements.off).has(kind)
              if (wasOn === on) return
              yield* announcements.switch(kind, on)
              yield* record(act, "announcements.switch", { type: "announcements", id: kind }, { on: wasOn }, { on })
            })
          })
          // The switch is stored; a station that is between incarnations sees it at its next look.
          yield* Effect.ignoreCause(ask((scheduler) => scheduler.tick))
        }),
      Recheck: () => ask((scheduler) => scheduler.tick),
      VerifyAsRun: ({ payload }) =>
        Rpc.fork(
          checking.withPermits(1)(
            Effect.flatMap(current, ({ stationId }) =>
              withProgress({ kind: "as_run_check", subject: payload.day ?? "all" }, (told) =>
                verifyAsRun(stationId, payload.day ?? undefined, told)
              )
            )
          )
        ),
      PlaceRequests: () => Effect.flatMap(current, ({ placeRequests }) => dieWithoutFence(placeRequests)),
      PromoteRequest: ({ payload: { displacements, requestId, trackId, ...act } }) => {
        const id = insertedIdOf(`${requestId}/${displacements}`)
        return runCommand(
          "song_request",
          act,
          id,
          insert({ _tag: "Track", trackId }, id, {}, (scheduler, airable) => scheduler.promote(id, requestId, airable))
        ).pipe(Effect.catchTag("PreconditionFailed", Effect.die))
      },
      Replan: () => askForView((scheduler) => scheduler.replan),
      GetRundown: () => Rpc.fork(Effect.flatMap(current, ({ scheduler }) => Effect.map(scheduler.state, viewOf)))
    })
  }),
  permanent
)

/** Activates the station at the start of the process and wherever its shard moves. */
const wake = Singleton.make(
  "Station/wake",
  Effect.gen(function* () {
    const { stationSlug } = yield* StationConfig
    const station = yield* Station.client
    yield* Effect.ignoreCause(station(stationSlug).GetRundown())
  })
)

/** Needs the ports, the repositories, `EventBus`, `ActorTree`, `AsRunKey`, `StationConfig`, files, and the cluster. */
export const StationLive = Layer.mergeAll(StationActor, wake).pipe(
  Layer.provide([announcedAirings, countedAsRun, PlanAirings.layer])
)
