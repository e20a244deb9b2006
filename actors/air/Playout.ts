import { Clock, Deferred, Effect, FileSystem, Path, Ref, Schedule, type Scope } from "effect"
import { AsRunKey } from "../../engine/runtime/AsRunKey.ts"
import { StationConfig } from "../../engine/runtime/Config.ts"
import {
  leadLookMs,
  schedulerMailboxMax,
  schedulerTickMs,
  snapshotEveryMs,
  songRequestRoundMs,
  unairableForgivenMs
} from "../../engine/rules/air/limits.ts"
import { Air } from "../../engine/ports/Air.ts"
import type { Music } from "../../engine/ports/Music.ts"
import type { Prepare } from "../../engine/ports/Prepare.ts"
import type { Speech } from "../../engine/ports/Speech.ts"
import { rotationRules } from "../../engine/rules/operations/Settings.ts"
import { Settings } from "../../engine/store/operations/Settings.ts"
import { lineOf } from "../../engine/rules/air/Rundown.ts"
import { RundownVersions } from "../../engine/rules/air/RundownVersions.ts"
import { nowPlayingOf, queueHealthOf, streamHealthOf } from "../../engine/rules/air/StationSnapshots.ts"
import { AiringsWriter } from "../../engine/store/air/Airings.ts"
import { AirMetadata } from "../../engine/store/air/AirMetadata.ts"
import type { Assets } from "../../engine/store/sound/Assets.ts"
import { FencesWriter } from "../../engine/store/air/Fences.ts"
import { RundownsWriter } from "../../engine/store/air/Rundowns.ts"
import { WeekSchedules } from "../../engine/store/programmes/WeekSchedules.ts"
import type { HousePiecesWriter } from "../../engine/store/music/HousePieces.ts"
import type { TracksWriter } from "../../engine/store/music/Tracks.ts"
import { Candidates, type WaitingFigures } from "../../engine/store/air/Candidates.ts"
import { msOf } from "../../schema/time/Samples.ts"
import type { AirEvent } from "../../schema/air/Air.ts"
import { type AirFact, noFacts } from "../../schema/air/AirMetadata.ts"
import type { AssetId } from "../../schema/Ids.ts"
import { FenceLost, type Rundown, type RundownItem } from "../../schema/air/Rundown.ts"
import { sealOf } from "./AsRunAudit.ts"
import { EventBus } from "../runtime/EventBus.ts"
import { stationClock } from "./StationClock.ts"
import { houseProgrammer } from "../music/HouseProgrammer.ts"
import { makeAnnouncer } from "./Announcer.ts"
import { makeAsRunWriter } from "./AsRunWriter.ts"
import { makeMailbox } from "../runtime/Mailbox.ts"
import { RundownView } from "./protocol.ts"
import { makeScheduler, type Scheduler } from "./Scheduler.ts"
import { superviseAll } from "../runtime/Supervision.ts"
import { type Heard, makeTransmitter, type Transmitter } from "./Transmitter.ts"

export const viewOf = (rundown: Rundown): RundownView =>
  new RundownView({
    revision: rundown.revision,
    held: rundown.held,
    emergency: rundown.emergency,
    onAir: rundown.onAir === null ? null : lineOf(rundown.onAir),
    items: [
      ...rundown.items.map((item) => lineOf(item)),
      ...(rundown.heldItems ?? []).map((item) => lineOf(item, true))
    ]
  })

/**
 * One incarnation of the station: its fencing token, its children, and the mailbox for all changes. Their memory lives here, so a child
 * that restarts keeps its state.
 */
export const makePlayout = Effect.gen(function* () {
  const air = yield* Air
  const airMetadata = yield* AirMetadata
  const airings = yield* AiringsWriter
  const bus = yield* EventBus
  const config = yield* StationConfig
  const settings = yield* Settings
  const fences = yield* FencesWriter
  const grids = yield* WeekSchedules
  const files = yield* FileSystem.FileSystem
  const key = yield* AsRunKey
  const path = yield* Path.Path
  const candidates = yield* Candidates
  const rundowns = yield* RundownsWriter

  const stationId = yield* fences.stationId
  const fence = yield* fences.acquire
  yield* Effect.annotateLogsScoped({ fence })
  const spool = path.join(config.dataDir, "spool")
  yield* files
    .makeDirectory(spool, { recursive: true })
    .pipe(Effect.catch((error) => Effect.logWarning("the spool has no folder", error)))
  const asRunWriter = yield* makeAsRunWriter({
    stationId,
    journalPath: path.join(spool, "as-run.ndjson"),
    seal: sealOf(key, fence),
    heldSince: yield* fences.heldSince,
    alert: (detail) => bus.publish({ _tag: "OpsAlerted", what: "as_run", detail })
  })
  // A mixer that has just taken the air must render up to the present first. Before that it can't tell what listeners hear.
  const status = yield* Effect.repeat(air.status, {
    while: ({ catchesUp }) => catchesUp === true,
    schedule: Schedule.spaced(leadLookMs)
  })
  const { continuesFrom, goOn, loggedTo } = yield* Effect.orDie(asRunWriter.recover(status))
  const box = yield* makeMailbox("Scheduler", schedulerMailboxMax)
  const about = yield* Ref.make<AirFact>(noFacts)
  const planned = yield* Ref.make(false)
  const restarts = yield* Ref.make<ReadonlyArray<number>>([])
  const waits = yield* Ref.make<WaitingFigures>({ pendingReview: 0, oldestQueuedAtMs: null })
  const pinned = yield* Ref.make<ReadonlySet<AssetId>>(new Set())
  const lost = yield* Deferred.make<never, FenceLost>()
  const versions = new RundownVersions()
  /** Publishes the rundown for operators, who may command by its version from now on. */
  const showRundown = (rundown: Rundown) =>
    Effect.suspend(() => {
      const view = viewOf(rundown)
      versions.show(view)
      return bus.put("rundown", view)
    })
  /** Losing the fence in any step ends this incarnation. */
  const guardFence = <A, E, R>(step: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.tapError(step, (error) => (error instanceof FenceLost ? Deferred.fail(lost, error) : Effect.void))
  const tell = <A, E>(step: Effect.Effect<A, E>) => box.tell(guardFence(step))
  const ask = <A, E>(step: Effect.Effect<A, E>) => box.ask(guardFence(step))

  /** During a store outage there are no facts about the item. */
  const factsOf = ({ airable, id }: RundownItem) =>
    Effect.map(
      Effect.catchDefect(airMetadata.find([{ ...airable, itemId: id }]), () => Effect.succeed([])),
      ([fact]) => fact ?? noFacts
    )

  const record: (event: AirEvent, heard: Heard, ended: RundownItem | null) => Effect.Effect<void> = Effect.fnUntraced(
    function* (event, heard, ended) {
      if (event._tag === "Started") {
        const segmentId = heard.item?.airable.segmentId ?? null
        // A planned item ended and none follows: the mixer fills in its emergency programme.
        if (
          event.itemId === null &&
          !(yield* scheduler.state).emergency &&
          (yield* air.status).live !== true &&
          (yield* Ref.getAndSet(planned, false))
        ) {
          yield* bus.publish({
            _tag: "OpsAlerted",
            what: "fallback",
            detail: "Nothing planned can be played: the emergency programme is on."
          })
        } else if (event.itemId !== null) yield* Ref.set(planned, true)
        if (event.itemId === null) yield* tell(Effect.suspend(() => scheduler.markUnplanned(event.atSample)))
        yield* Ref.set(about, heard.item === null ? noFacts : yield* factsOf(heard.item))
        yield* bus.publish({
          _tag: "ItemStarted",
          itemId: event.itemId,
          kind: event.label.kind,
          title: event.label.title,
          segmentId,
          atSample: event.atSample
        })
        yield* snapshot(heard)
        const nowPlaying = yield* bus.get("nowPlaying")
        if (nowPlaying !== null) yield* bus.publish({ _tag: "NowPlayingChanged", nowPlaying })
      } else if (event._tag === "ChainRestarted") {
        yield* tell(Effect.suspend(() => scheduler.interrupted(null)))
      } else if (event._tag === "Spanned" && event.goesOn !== true) {
        const { complete, itemId, lastSample } = event.span
        if (!complete && itemId !== null) yield* tell(Effect.suspend(() => scheduler.interrupted(itemId)))
        yield* bus.publish({
          _tag: "ItemEnded",
          itemId,
          segmentId: ended?.airable.segmentId ?? null,
          complete,
          lastSample
        })
      } else if (event._tag === "EmergencyChanged") {
        yield* bus.publish({ _tag: "EmergencyChanged", on: event.on, reason: event.reason })
        if (event.on) yield* bus.publish({ _tag: "OpsAlerted", what: "emergency", detail: event.reason })
        else yield* tell(Effect.suspend(() => scheduler.replan))
      } else if (event._tag === "LiveChanged") {
        // Live sound ended by itself: the programme continues now instead of at the next planned start.
        if (!event.on) yield* tell(Effect.suspend(() => scheduler.goOnNow))
      } else if (event._tag === "EncoderReplaced") {
        const now = yield* Clock.currentTimeMillis
        yield* Ref.update(restarts, (before) => [...before.filter((at) => at > now - 86_400_000), now])
      } else if (event._tag === "Skipped") {
        yield* bus.publish({ _tag: "OpsAlerted", what: "passed_over", detail: `${event.itemId}: ${event.reason}` })
      }
    }
  )

  const saved = yield* rundowns.load(stationId)
  const transmitter: Transmitter = yield* makeTransmitter({
    stationId,
    stationName: config.stationName,
    emergencyDisclosure: (yield* settings.current).emergencyDisclosure,
    fence,
    asRunWriter,
    loggedTo,
    continuesFrom,
    goOn,
    planned: [saved?.onAir ?? [], saved?.items ?? []].flat(),
    revision: yield* Ref.make(0),
    onEvent: record,
    pinned: Ref.get(pinned),
    onBegun: (itemId, atSample) => tell(Effect.suspend(() => scheduler.markBegun(itemId, atSample))),
    onSkipped: (item, why, blamed) => tell(Effect.suspend(() => scheduler.removeSkipped(item, why, blamed)))
  })
  const scheduler: Scheduler = yield* makeScheduler({
    stationId,
    fence,
    zone: config.timeZone,
    rotation: Effect.map(settings.rotation, rotationRules),
    goOn: goOn.map(({ item }) => item),
    sent: transmitter.sent,
    told: Effect.zipWith(asRunWriter.isWritten, transmitter.overlaps, (written, overlaps) => written && !overlaps),
    transmit: (rundown, entry) => Effect.tap(transmitter.apply(rundown, entry), () => showRundown(rundown))
  })

  const announcer = yield* makeAnnouncer({
    fence,
    zone: config.timeZone,
    seed: config.houseSeed,
    rundown: Effect.suspend(() => scheduler.state),
    breaks: Effect.suspend(() => scheduler.breaks),
    nowMs: Effect.map(air.status, ({ renderedTo }) => msOf(renderedTo)),
    made: tell(Effect.suspend(() => scheduler.tick))
  })

  const snapshot: (heard: Heard) => Effect.Effect<void> = Effect.fnUntraced(function* (heard) {
    const status = yield* air.status
    const rundown = yield* scheduler.state
    const next =
      rundown.items.find((item) => item.startSample > heard.startSample && item.id !== heard.item?.id) ?? null
    yield* bus.put("airStatus", status)
    yield* bus.put(
      "nowPlaying",
      nowPlayingOf(
        heard,
        yield* Ref.get(about),
        next,
        status.nowSample,
        config.publicUrl,
        next === null ? null : yield* transmitter.mark(next)
      )
    )
    const { oldestQueuedAtMs, pendingReview } = yield* Ref.get(waits)
    const oldestWaitingSec =
      oldestQueuedAtMs === null ? null : Math.max(0, Math.round((status.nowMs - oldestQueuedAtMs) / 1_000))
    yield* bus.put("queue", queueHealthOf(rundown, { pendingReview, oldestWaitingSec }, status.nowSample))
    yield* showRundown(rundown)
    yield* bus.put("songForecasts", yield* scheduler.forecasts)
    yield* bus.put("streamHealth", streamHealthOf(status, (yield* Ref.get(restarts)).length, heard.item !== null))
  })
  yield* bus.put("stationId", stationId)

  const repeatEvery = <A, E, R>(ms: number, step: Effect.Effect<A, E, R>) =>
    Effect.forever(Effect.andThen(step, Effect.sleep(ms)))

  /** Ends overdue and impossible song requests. */
  const settled = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const { expired, refused, stopped } = yield* candidates.findDueRequests(nowMs)
    const ended = [
      ...(yield* airings.move(expired, { _tag: "Expire", atMs: nowMs }, fence)),
      ...(yield* airings.move(stopped, { _tag: "Stop", atMs: nowMs }, fence)),
      ...(yield* airings.move(refused, { _tag: "Withdraw", reason: "TRACK_WITHDRAWN", atMs: nowMs }, fence))
    ]
    if (ended.length > 0) yield* tell(scheduler.requests)
  }).pipe(Effect.catchCause((cause) => Effect.logWarning("song requests could not be settled", cause)))

  const figures = Effect.catchDefect(candidates.figures, () => Ref.get(waits))

  const children = superviseAll<
    unknown,
    Air | EventBus | Assets | HousePiecesWriter | Music | Prepare | Scope.Scope | Speech | TracksWriter
  >("Station", {
    // `ask` waits for each tick, so a slow store doesn't queue ticks before commands.
    Scheduler: Effect.raceFirst(box.serve, repeatEvery(schedulerTickMs, Effect.ignoreCause(ask(scheduler.tick)))),
    Clock: stationClock({ zone: config.timeZone, listWeeks: grids.from, boundary: tell(scheduler.tick) }),
    Events: guardFence(transmitter.listen),
    Staging: guardFence(transmitter.staging),
    Heartbeat: guardFence(transmitter.heartbeat),
    AsRunWriter: guardFence(asRunWriter.serve),
    AsRunSeals: guardFence(asRunWriter.seals),
    Waiting: repeatEvery(
      schedulerTickMs,
      Effect.flatMap(figures, (now) => Ref.set(waits, now))
    ),
    Snapshots: repeatEvery(snapshotEveryMs, Effect.flatMap(transmitter.heard, snapshot)),
    Requests: repeatEvery(songRequestRoundMs, settled),
    Announcer: config.houseProgramme === "on" ? repeatEvery(schedulerTickMs, announcer) : Effect.never,
    Forgiveness: repeatEvery(unairableForgivenMs, tell(scheduler.forgive)),
    House: Effect.andThen(
      houseProgrammer({
        stationName: config.stationName,
        zone: config.timeZone,
        seed: config.houseSeed,
        programme: config.houseProgramme,
        pin: (ids) => Ref.set(pinned, ids),
        onMade: ({ done, name, total }) =>
          bus
            .put("houseProgress", { done, total, name })
            .pipe(
              Effect.andThen(bus.publish({ _tag: "HouseProgress", done, total, what: name })),
              Effect.andThen(tell(scheduler.tick))
            )
      }),
      Effect.never
    )
  })

  /** Plans the requests and publishes their forecasts before it answers. */
  const placeRequests = Effect.andThen(
    ask(scheduler.requests),
    Effect.flatMap(scheduler.forecasts, (forecasts) => bus.put("songForecasts", forecasts))
  )

  return {
    scheduler,
    ask,
    placeRequests,
    versions,
    run: Effect.raceFirst(children, Deferred.await(lost)),
    stationId,
    fence
  }
})

export type Playout = Effect.Success<typeof makePlayout>
