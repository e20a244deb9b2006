import { Cause, Context, Effect, Layer, PubSub, Stream, SubscriptionRef } from "effect"
import { join } from "node:path"
import { type AirEvent, AirPlan } from "../../schema/air/Air.ts"
import type { MeterReading } from "../../schema/air/Meters.ts"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { airEventsMax, airStallMs, metersMax, probeBehindMaxSec } from "../../engine/rules/air/limits.ts"
import { sampleRateHz } from "../../schema/time/Samples.ts"
import { Air } from "../../engine/ports/Air.ts"
import { Live } from "../../engine/ports/Live.ts"
import { AirHost } from "./AirHost.ts"
import { type AirClient, airIncarnation, type AirOptions } from "./AirIncarnation.ts"
import { watchOutput } from "./AirWatch.ts"
import { makeLiveInput } from "./LiveInput.ts"
import { makeArchiveReader } from "../live/ArchiveReader.ts"
import { broadcastStart } from "../live/BroadcastStart.ts"
import { Ffmpeg } from "../ffmpeg/Ffmpeg.ts"
import { initSegment } from "../encode/Fmp4.ts"
import { markDiscontinuity } from "../live/Journal.ts"
import { Arrivals, makeLive } from "../live/LiveService.ts"
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

/** Keeps a worker on the air: when one dies or stalls, the next continues from the ring with the same plan. */
const supervise = (host: AirHost, ffmpeg: string, options: AirOptions, online: OnlineAir) =>
  Effect.gen(function* () {
    const startedAtMs = systemTime.monoMs()
    const reason = yield* airIncarnation(host, ffmpeg, options, (client) => SubscriptionRef.set(online, client)).pipe(
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause) : Effect.succeed(Cause.pretty(cause))
      )
    )
    yield* SubscriptionRef.set(online, null)
    host.logRestart(reason)
    yield* Effect.logError("The worker of the air chain ended; the next one goes on from the ring.", { reason })
    // A worker that fails at once would fail again: limits the rate of restarts.
    if (systemTime.monoMs() - startedAtMs < airStallMs) yield* Effect.sleep(airStallMs)
  }).pipe(Effect.forever)
/**
 * Starts the air chain in its own worker thread and supervises it. `Air` (commands, events) and `Live` (what listeners receive) are its
 * two ports.
 */
export const airLayer = (options: AirOptions): Layer.Layer<Air | Live, never, Ffmpeg> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const { ffmpeg } = yield* Ffmpeg
      const run = Effect.runForkWith(yield* Effect.context<never>())
      const events = yield* PubSub.sliding<AirEvent>(airEventsMax)
      const meters = yield* PubSub.sliding<MeterReading>(metersMax)
      const arrivals = new Arrivals()
      const probe = new ListenerProbe({
        ffmpeg,
        init: initSegment(renditions.aac128.bitrateKbps),
        nowMs: systemTime.monoMs()
      })
      yield* Effect.addFinalizer(() => Effect.sync(() => probe.close()))
      let atEdge = false
      const host: AirHost = new AirHost(broadcastStart(options.journalPath), options.stationName, {
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
        onJournal: (stopped) =>
          void run(
            stopped === null
              ? Effect.logInfo("The journal of the broadcast is written again.")
              : Effect.logError("The journal of the broadcast stopped; the air goes on without it.", {
                  reason: stopped
                })
          )
      })
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
        emergency,
        status: Effect.sync(() => host.status),
        events: Stream.fromPubSub(events),
        meters: Stream.fromPubSub(meters)
      }
      const shifted =
        options.journalPath === null ? nothingKept : makeTimeShift(host, yield* makeArchiveReader(options.journalPath))
      yield* Effect.forkScoped(supervise(host, ffmpeg, options, online))
      yield* Effect.forkScoped(watchOutput(probe, host, emergency))
      return Context.make(Air, air).pipe(Context.add(Live, makeLive(host, arrivals, shifted)))
    })
  )
/** The air chain as configured; its journal is under DATA_DIR. */
export const AirLive: Layer.Layer<Air | Live, never, Ffmpeg | StationConfig> = Layer.unwrap(
  Effect.map(StationConfig, ({ dataDir, stationName }) => airLayer({ stationName, journalPath: join(dataDir, "live") }))
)
