import { Cause, Context, Deferred, Effect, Layer, PubSub, Queue, Stream, SubscriptionRef } from "effect"
import { join } from "node:path"
import { type AirEvent, AirPlan } from "../../schema/air/Air.ts"
import type { AirState, AirStep } from "../../schema/air/AirStep.ts"
import type { MeterReading } from "../../schema/air/Meters.ts"
import { StationConfig } from "../../engine/runtime/Config.ts"
import {
  aacFrameSamples,
  airEventsMax,
  airStallMs,
  airStepsMax,
  followPatienceMs,
  leadLookMs,
  leadPatienceMs,
  metersMax,
  mixLeadMs,
  probeBehindMaxSec
} from "../../engine/rules/air/limits.ts"
import { sampleRateHz } from "../../schema/time/Samples.ts"
import { Air } from "../../engine/ports/Air.ts"
import { CurrentAirOwnership } from "../../engine/ports/AirOwnership.ts"
import { AirStandby } from "../../engine/ports/AirStandby.ts"
import { CurrentMark } from "../../engine/ports/CurrentMark.ts"
import { Live } from "../../engine/ports/Live.ts"
import { AirHost } from "./AirHost.ts"
import { type AirClient, airIncarnation, type AirOptions } from "./AirIncarnation.ts"
import { watchOutput } from "./AirWatch.ts"
import { makeLiveInput } from "./LiveInput.ts"
import { makeArchiveReader } from "../live/ArchiveReader.ts"
import { broadcastStart, nextFrameOf } from "../live/BroadcastStart.ts"
import { Ffmpeg } from "../ffmpeg/Ffmpeg.ts"
import { initSegment } from "../encode/Fmp4.ts"
import { markDiscontinuity } from "../live/Journal.ts"
import { Arrivals, makeLive } from "../live/LiveService.ts"
import { cellFrames, limiterCells } from "../mixer/Limiter.ts"
import { partSamples, partsPerSegment } from "../encode/PartPacker.ts"
import { ListenerProbe } from "./ListenerProbe.ts"
import { renditions } from "../encode/Rendition.ts"
import { systemTime } from "../clock/StationClock.ts"
import { makeTimeShift, nothingKept } from "../live/TimeShift.ts"
import { RpcClientError } from "effect/rpc"

/** The worker now on the air; null while none is. */
export type OnlineAir = SubscriptionRef.SubscriptionRef<AirClient | null>

/** The first client other than `former`, as soon as there is one. */
const awaitNextClient = (online: OnlineAir, former: AirClient | null): Effect.Effect<AirClient> =>
  SubscriptionRef.changes(online).pipe(
    Stream.filter((client) => client !== null && client !== former),
    Stream.runHead,
    Effect.flatMap((head) =>
      head._tag === "Some" && head.value !== null ? Effect.succeed(head.value) : Effect.interrupt
    )
  )

const isTransport = (error: unknown): error is RpcClientError.RpcClientError =>
  error instanceof RpcClientError.RpcClientError

/** Sends a command to the worker. If the worker dies, the next one gets the command again; every command may be repeated. */
export const command = <A, E>(
  online: OnlineAir,
  ask: (client: AirClient) => Effect.Effect<A, E | RpcClientError.RpcClientError>,
  former: AirClient | null = null
): Effect.Effect<A, Exclude<E, RpcClientError.RpcClientError>> =>
  Effect.flatMap(awaitNextClient(online, former), (client) =>
    Effect.raceFirst(
      ask(client).pipe(
        Effect.catch((error) =>
          isTransport(error) ? Effect.never : Effect.fail(error as Exclude<E, RpcClientError.RpcClientError>)
        ),
        Effect.map((value): { readonly value: A } | null => ({ value }))
      ),
      awaitNextClient(online, client).pipe(Effect.as(null))
    ).pipe(Effect.flatMap((answer) => (answer === null ? command(online, ask, client) : Effect.succeed(answer.value))))
  )

/** Ends the worker on the air and starts the next from a changed state. */
interface Reset {
  readonly change: () => void
  readonly done: Deferred.Deferred<void>
}

/** Keeps a worker on the air: when one dies or stalls, the next continues from the ring with the same plan. */
const supervise = (host: AirHost, ffmpeg: string, options: AirOptions, online: OnlineAir, resets: Queue.Queue<Reset>) =>
  Effect.gen(function* () {
    const startedAtMs = systemTime.monoMs()
    const reason = yield* airIncarnation(host, ffmpeg, options, (client) => SubscriptionRef.set(online, client)).pipe(
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause) : Effect.succeed(Cause.pretty(cause))
      ),
      Effect.raceFirst(Queue.take(resets))
    )
    yield* SubscriptionRef.set(online, null)
    if (typeof reason !== "string") {
      reason.change()
      yield* Deferred.succeed(reason.done, undefined)
      return
    }
    host.logRestart(reason)
    yield* Effect.logError("The worker of the air chain ended; the next one goes on from the ring.", { reason })
    // A worker that fails at once would fail again: limits the rate of restarts.
    if (systemTime.monoMs() - startedAtMs < airStallMs) yield* Effect.sleep(airStallMs)
  }).pipe(Effect.forever)
/** Takes the air: first renders all that the former owner can have sent, so that no playlist goes back behind one of its. */
const lead = (host: AirHost, online: OnlineAir, arrivals: Arrivals) =>
  Effect.gen(function* () {
    host.lead()
    const mixedSample = host.clock.nowSample() + (mixLeadMs * sampleRateHz) / 1_000
    const sentSample = mixedSample - (mixedSample % partSamples)
    yield* command(online, (client) => client.Lead())
    if (host.status.live === true) {
      // Its sound came to the former owner: the programme goes on.
      host.setLive(null)
      yield* command(online, (client) => client.Live({ label: null, reason: "another process has taken the air" }))
    }
    while ([...host.windows.values()].some((window) => nextFrameOf(window) * aacFrameSamples < sentSample))
      yield* Effect.sleep(leadLookMs)
  }).pipe(
    Effect.timeoutOption(leadPatienceMs),
    Effect.andThen(
      Effect.sync(() => {
        host.noteCaughtUp()
        arrivals.announce()
      })
    )
  )

/** The mixer is so far ahead of its output. */
const limiterSamples = limiterCells * cellFrames

/** How a chain follows another process, and takes the air. */
const makeStandby = (
  host: AirHost,
  online: OnlineAir,
  resets: Queue.Queue<Reset>,
  steps: PubSub.PubSub<{ readonly step: AirStep; readonly state: AirState }>,
  lead: Effect.Effect<void>
) => {
  /** Whether the worker that began to follow still does. */
  let follower: AirClient | null = null
  const current = SubscriptionRef.get(online)
  return AirStandby.of({
    isFollowing: Effect.map(current, (client) => host.isFollowing && client !== null && client === follower),
    lacksSound: Effect.sync(() => host.isFollowing && host.lacksSound),
    steps: Stream.fromPubSub(steps),
    figures: Effect.sync(() => host.standby),
    state: Effect.sync(() => ({ state: host.state, atSample: host.ring.writtenTo + limiterSamples })),
    nextSample: Effect.sync(() => host.nextFollowFrame * aacFrameSamples),
    begin: ({ state, steps }) =>
      Effect.gen(function* () {
        follower = null
        const done = yield* Deferred.make<void>()
        yield* Queue.offer(resets, {
          // This process may have taken the air meanwhile.
          change: () => {
            if (!host.ownership.holds()) host.follow(host.nextFollowFrame, state, steps)
          },
          done
        })
        yield* Deferred.await(done)
        follower = yield* awaitNextClient(online, null)
        if (host.ownership.holds() && host.isFollowing) yield* lead
      }),
    follow: (steps, state) =>
      Effect.gen(function* () {
        const client = yield* current
        if (client === null || client !== follower) return false
        const isInTime = yield* client.Follow({ steps }).pipe(
          Effect.timeout(followPatienceMs),
          Effect.orElseSucceed(() => false)
        )
        if (isInTime) host.adopt(state)
        return isInTime
      })
  })
}

/**
 * Starts the air chain in its own worker thread and supervises it. Its ports: `Air` (commands, events), `Live` (what listeners receive)
 * and `AirStandby` (other processes).
 */
export const airLayer = (options: AirOptions): Layer.Layer<Air | AirStandby | Live, never, Ffmpeg> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const { ffmpeg } = yield* Ffmpeg
      const run = Effect.runForkWith(yield* Effect.context<never>())
      const events = yield* PubSub.sliding<AirEvent>(airEventsMax)
      const meters = yield* PubSub.sliding<MeterReading>(metersMax)
      const steps = yield* PubSub.sliding<{ readonly step: AirStep; readonly state: AirState }>(airStepsMax)
      const resets = yield* Queue.unbounded<Reset>()
      const ownership = yield* CurrentAirOwnership
      const arrivals = new Arrivals()
      const probe = new ListenerProbe({
        ffmpeg,
        init: initSegment(renditions.aac128.bitrateKbps),
        nowMs: systemTime.monoMs()
      })
      yield* Effect.addFinalizer(() => Effect.sync(() => probe.close()))
      let atEdge = false
      const host: AirHost = new AirHost(
        broadcastStart(options.journalPath),
        options.stationName,
        {
          event: (event) => {
            if (event._tag === "Started") probe.onStarted(event, systemTime.monoMs())
            PubSub.publishUnsafe(events, event)
          },
          part: (part) => {
            arrivals.announce()
            if (part.variant !== "aac128") return
            const endSample = (part.msn * partsPerSegment + part.part + 1) * partSamples
            atEdge = host.clock.nowSample() - endSample < probeBehindMaxSec * sampleRateHz
            if (atEdge) probe.part(part.bytes, systemTime.monoMs())
          },
          onMp3: (bytes) => {
            if (atEdge) probe.mp3(bytes)
          },
          onCut: (discontinuity) => {
            if (options.journalPath !== null) void markDiscontinuity(options.journalPath, discontinuity)
          },
          onMeter: (reading) => void PubSub.publishUnsafe(meters, reading),
          onStep: (step) => void PubSub.publishUnsafe(steps, { step, state: host.state }),
          onJournal: (stopped) =>
            void run(
              stopped === null
                ? Effect.logInfo("The journal of the broadcast is written again.")
                : Effect.logError("The journal of the broadcast stopped; the air goes on without it.", {
                    reason: stopped
                  })
            )
        },
        ownership
      )
      const online: OnlineAir = yield* SubscriptionRef.make<AirClient | null>(null)
      const live = makeLiveInput({
        ffmpeg,
        ring: host.live,
        onAir: (taken, why) =>
          Effect.suspend(() => {
            host.setLive(taken)
            return command(online, (to) => to.Live({ label: taken?.label ?? null, reason: taken?.reason ?? why }))
          })
      })
      const emergency: Air["Service"]["emergency"] = (on, reason) =>
        Effect.suspend(() => {
          host.setEmergency(on ? reason : null)
          if (on) live.yieldAir()
          return command(online, (to) => to.Emergency({ on, reason }))
        })
      const air: Air["Service"] = {
        live: live.port,
        plan: (told) =>
          Effect.suspend(() => {
            host.waves.expect(told.items)
            // Words stay in this thread, which makes the captions.
            const plan = new AirPlan({ ...told, items: host.captions.expect(told.items) })
            return command(online, (to) => to.Plan({ plan })).pipe(
              Effect.tap((applied) => Effect.sync(() => host.setPlan(plan, applied)))
            )
          }),
        emergencyLibrary: (sounds) =>
          Effect.suspend(() => {
            host.setLibrary(sounds)
            return command(online, (to) => to.EmergencyLibrary({ sounds }))
          }),
        disclose: (disclosures) =>
          Effect.suspend(() => {
            host.disclose(disclosures)
            return command(online, (to) => to.Disclose({ emergency: disclosures.emergency }))
          }),
        emergency,
        status: Effect.sync(() => host.status),
        events: Stream.unwrap(
          Effect.gen(function* () {
            const subscription = yield* PubSub.subscribe(events)
            return Stream.concat(Stream.fromIterable(host.takeUntold()), Stream.fromSubscription(subscription))
          })
        ),
        meters: Stream.fromPubSub(meters)
      }
      const shifted =
        options.journalPath === null ? nothingKept : makeTimeShift(host, yield* makeArchiveReader(options.journalPath))
      yield* Effect.forkScoped(supervise(host, ffmpeg, options, online, resets))
      yield* Effect.forkScoped(watchOutput(probe, host, emergency))
      yield* Effect.acquireRelease(
        Effect.sync(() =>
          ownership.listen((holds) => {
            if (holds && host.isFollowing) return void run(lead(host, online, arrivals))
            // From now on, listeners hear what this mixer renders.
            if (holds) host.lead()
            arrivals.announce()
          })
        ),
        (forget) => Effect.sync(forget)
      )
      return Context.make(Air, air).pipe(
        Context.add(AirStandby, makeStandby(host, online, resets, steps, lead(host, online, arrivals))),
        Context.add(Live, makeLive(host, arrivals, shifted)),
        Context.add(CurrentMark, () => host.mark)
      )
    })
  )
/** The air chain as configured; its journal is under DATA_DIR. */
export const AirLive: Layer.Layer<Air | AirStandby | Live, never, Ffmpeg | StationConfig> = Layer.unwrap(
  Effect.map(StationConfig, ({ dataDir, stationName }) => airLayer({ stationName, journalPath: join(dataDir, "live") }))
)
