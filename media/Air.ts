import { NodeWorker } from "@effect/platform-node"
import { Cause, Context, Deferred, Effect, Layer, PubSub, Stream, SubscriptionRef } from "effect"
import { RpcClient, type RpcClientError } from "effect/rpc"
import { inspect } from "node:util"
import { MessageChannel, Worker } from "node:worker_threads"
import type { AirEvent } from "../schema/Air.ts"
import { airEventsMax, airStallMs, airStartMaxMs, mixTickMs } from "../engine/Limits.ts"
import { Air } from "../engine/ports/Air.ts"
import { Live } from "../engine/ports/Live.ts"
import { AirHost, freshBeginning } from "./AirHost.ts"
import { AirCommands, type Break, type FromAir } from "./AirProtocol.ts"
import { Ffmpeg } from "./Ffmpeg.ts"
import { Arrivals, makeLive } from "./LiveService.ts"
import { systemTime } from "./StationClock.ts"

type Client = RpcClient.FromGroup<typeof AirCommands, RpcClientError.RpcClientError>

export interface AirOptions {
  /** Folder of the journal; null keeps none. */
  readonly journalPath: string | null
  /** Receives a way to break the running worker: for tests of its supervision. */
  readonly onBreakable?: (breakWorker: (how: Break["how"]) => void) => void
}

/** One worker from its start to its end; answers why it ended. */
const incarnation = Effect.fnUntraced(function*(
  host: AirHost,
  ffmpeg: string,
  options: AirOptions,
  online: (client: Client) => Effect.Effect<void>
) {
  const { port1, port2 } = new MessageChannel()
  const startedAtMs = systemTime.monoMs()
  host.ring.beat(startedAtMs)
  const worker = new Worker(new URL("./AirWorker.ts", import.meta.url), {
    workerData: { start: host.start(ffmpeg, options.journalPath, options.onBreakable !== undefined), port: port2 },
    transferList: [port2]
  })
  const ended = yield* Deferred.make<string>()
  let alive = false
  worker.on("error", (error) => Deferred.doneUnsafe(ended, Effect.succeed(inspect(error))))
  worker.on("exit", (code) => Deferred.doneUnsafe(ended, Effect.succeed(`exit ${code}`)))
  port1.on("message", (message: FromAir) => {
    alive = true
    host.receive(message)
  })
  options.onBreakable?.((how) => port1.postMessage({ _tag: "Break", how } satisfies Break))
  yield* Effect.addFinalizer(() =>
    Effect.promise(async () => {
      port1.close()
      await worker.terminate()
    }))
  const watch = Effect.gen(function*() {
    while (true) {
      yield* Effect.sleep(mixTickMs)
      const silentMs = systemTime.monoMs() - host.ring.beatMs
      if (silentMs > (alive ? airStallMs : airStartMaxMs)) return "stalled"
    }
  })
  const serve = Effect.gen(function*() {
    const protocol = yield* Layer.build(RpcClient.layerProtocolWorker({ size: 1, concurrency: 64 }).pipe(Layer.provide(NodeWorker.layer(() => worker))))
    const client = yield* RpcClient.make(AirCommands).pipe(Effect.provide(protocol))
    yield* online(client)
    return yield* Effect.never
  })
  return yield* Effect.raceFirst(Effect.raceFirst(Deferred.await(ended), watch), serve).pipe(
    // Before the protocol's own farewell, which a stalled worker would never answer.
    Effect.ensuring(Effect.promise(() => worker.terminate()))
  )
}, Effect.scoped)

/**
 * Starts the air chain at once, in a worker thread of its own, and keeps it running: a worker that dies or stalls is
 * followed by one that goes on from the ring with the same plan.
 */
export const airLayer = (options: AirOptions): Layer.Layer<Air | Live, never, Ffmpeg> =>
  Layer.effectContext(Effect.gen(function*() {
    const { ffmpeg } = yield* Ffmpeg
    const events = yield* PubSub.sliding<AirEvent>(airEventsMax)
    const arrivals = new Arrivals()
    const host = new AirHost(freshBeginning(), (event) => {
      PubSub.publishUnsafe(events, event)
    }, () => arrivals.announce())
    const client = yield* SubscriptionRef.make<Client | null>(null)

    let startedAtMs = 0
    yield* Effect.suspend(() => {
      startedAtMs = systemTime.monoMs()
      return incarnation(host, ffmpeg, options, (next) => SubscriptionRef.set(client, next))
    }).pipe(
      Effect.catchCause((cause) => Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause) : Effect.succeed(Cause.pretty(cause))),
      Effect.tap(() => SubscriptionRef.set(client, null)),
      Effect.tap((reason) => Effect.logError("The worker of the air chain ended; the next one goes on from the ring.", { reason })),
      Effect.tap((reason) => Effect.sync(() => host.tell({ _tag: "ChainRestarted", reason, atSample: host.ring.writtenTo }))),
      // One that falls at once would fall again: not faster than this, so that the machine can breathe.
      Effect.andThen(Effect.suspend(() => Effect.sleep(systemTime.monoMs() - startedAtMs < airStallMs ? airStallMs : 0))),
      Effect.forever,
      Effect.forkScoped
    )

    /** A command that falls with its worker is given to the next one: all of them may be repeated. */
    const command = <A, E>(ask: (client: Client) => Effect.Effect<A, E | RpcClientError.RpcClientError>): Effect.Effect<A, Exclude<E, RpcClientError.RpcClientError>> =>
      Effect.gen(function*() {
        while (true) {
          const current = yield* SubscriptionRef.changes(client).pipe(Stream.filter((value) => value !== null), Stream.runHead)
          if (current._tag === "None") return yield* Effect.interrupt
          const changed = SubscriptionRef.changes(client).pipe(Stream.filter((value) => value !== current.value), Stream.runHead, Effect.as(null))
          const answer = yield* Effect.raceFirst(
            ask(current.value).pipe(
              Effect.map((value) => ({ value })),
              Effect.catchIf((error): error is Extract<E, RpcClientError.RpcClientError> | RpcClientError.RpcClientError =>
                typeof error === "object" && error !== null && "_tag" in error && error._tag === "RpcClientError", () => changed)
            ),
            changed
          )
          if (answer !== null) return answer.value
        }
      }) as Effect.Effect<A, Exclude<E, RpcClientError.RpcClientError>>

    const air: Air["Service"] = {
      plan: (plan) => command((to) => to.Plan({ plan })).pipe(Effect.tap((applied) => Effect.sync(() => host.planned(plan, applied)))),
      emergencyLibrary: (sounds) => Effect.suspend(() => {
        host.stocked(sounds)
        return command((to) => to.EmergencyLibrary({ sounds }))
      }),
      emergency: (on, reason) => Effect.suspend(() => {
        host.alarmed(on ? reason : null)
        return command((to) => to.Emergency({ on, reason }))
      }),
      status: Effect.sync(() => host.status),
      events: Stream.fromPubSub(events)
    }
    return Context.make(Air, air).pipe(Context.add(Live, makeLive(host, arrivals)))
  }))
