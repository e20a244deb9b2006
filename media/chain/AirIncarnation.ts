import * as NodeWorker from "@effect/platform-node/NodeWorker"
import { Deferred, Effect, Layer } from "effect"
import { RpcClient, type RpcClientError } from "effect/rpc"
import { inspect } from "node:util"
import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads"
import { airNiceness, airStallMs, airStartMaxMs, mixTickMs, starvedMaxMs } from "../../engine/rules/air/limits.ts"
import type { AirHost } from "./AirHost.ts"
import { AirCommands, type Break, type FromAir } from "./AirProtocol.ts"
import { pulseOfThread, startWithNiceness, Starvation } from "../clock/Pulse.ts"
import { systemTime } from "../clock/StationClock.ts"

export type AirClient = RpcClient.FromGroup<typeof AirCommands, RpcClientError.RpcClientError>

export interface AirOptions {
  /** Label while nothing with a name is on the air. */
  readonly stationName: string
  /** Folder of the journal; null disables it. */
  readonly journalPath: string | null
  /** Receives a function that breaks the running worker, for tests of its supervision. */
  readonly onBreakable?: (breakWorker: (how: Break["how"]) => void) => void
}

/** Runs one worker of the air chain to its end; answers why it ended. */
export const airIncarnation = Effect.fnUntraced(function* (
  host: AirHost,
  ffmpeg: string,
  options: AirOptions,
  online: (client: AirClient) => Effect.Effect<void>
) {
  const { port1, port2 } = new MessageChannel()
  host.ring.beat(systemTime.monoMs())
  host.ring.setWriter(0)
  host.reportMissedEnds("the chain was restarted")
  const worker = startWithNiceness(
    airNiceness,
    () =>
      new Worker(new URL("./AirWorker.ts", import.meta.url), {
        workerData: { start: host.start(ffmpeg, options.journalPath, options.onBreakable !== undefined), port: port2 },
        transferList: [port2],
        // Mixing needs little memory; a small young generation keeps GC pauses short.
        resourceLimits: { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 256 }
      })
  )
  const ended = yield* Deferred.make<string>()
  let alive = false
  const endWith = (reason: string) => {
    Deferred.doneUnsafe(ended, Effect.succeed(reason))
  }
  worker.on("error", (error) => endWith(inspect(error)))
  worker.on("exit", (code) => endWith(`exit ${code}`))
  port1.on("message", (message: FromAir) => {
    alive = true
    host.receive(message)
  })
  options.onBreakable?.((how) => port1.postMessage({ _tag: "Break", how } satisfies Break))
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      // Messages that the worker sent before it ended: the log is known to the last sample sent.
      for (let left = receiveMessageOnPort(port1); left !== undefined; left = receiveMessageOnPort(port1))
        host.receive(left.message as FromAir)
      port1.close()
    })
  )
  const watch = Effect.gen(function* () {
    const starvation = new Starvation()
    while (true) {
      yield* Effect.sleep(mixTickMs)
      // The heartbeat is in shared memory: it stays fresh even while this thread hangs.
      const nowMs = systemTime.monoMs()
      const silentMs = nowMs - host.ring.beatMs
      if (silentMs <= mixTickMs * 2) starvation.noteHeartbeat()
      else {
        const patienceMs = !alive
          ? airStartMaxMs
          : starvation.isStarving(pulseOfThread(host.ring.writer), nowMs)
            ? starvedMaxMs
            : airStallMs
        if (silentMs > patienceMs) return "stalled"
      }
    }
  })
  const serve = Effect.gen(function* () {
    const protocol = yield* Layer.build(
      RpcClient.layerProtocolWorker({ size: 1, concurrency: 64 }).pipe(Layer.provide(NodeWorker.layer(() => worker)))
    )
    const client = yield* RpcClient.make(AirCommands).pipe(Effect.provide(protocol))
    yield* online(client)
    return yield* Effect.never
  })
  return yield* Effect.raceAllFirst([Deferred.await(ended), watch, serve]).pipe(
    // Runs before the protocol's own shutdown, which a stalled worker would never answer.
    Effect.ensuring(Effect.promise(() => worker.terminate()))
  )
}, Effect.scoped)
