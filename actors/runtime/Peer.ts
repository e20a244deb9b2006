import { Clock, Context, Data, Effect, Layer, Semaphore } from "effect"
import { ClusterError, RunnerStorage } from "effect/cluster"
import type { TLSSocket } from "node:tls"
import { peerConnectTimeoutMs, shardAskMs, shardLeaseMs, shardLeaseRenewMs } from "../../engine/rules/runtime/limits.ts"
import { BadConfig, type ClusterSettings } from "../../engine/runtime/Config.ts"
import { connectPeer, openPeerPort, type PeerPort, type PeerProtocol } from "../../engine/runtime/PeerPort.ts"

/** The port for the other processes, and what this process is to them. */
export class Peer extends Context.Service<Peer, { readonly port: PeerPort; readonly cluster: ClusterSettings }>()(
  "longwave/actors/Peer"
) {}

class PeerUnreachable extends Data.TaggedError("PeerUnreachable")<{ readonly cause: unknown }> {}

/** Connects to another process and waits for the end of the handshake. */
export const connectTo = (
  cluster: ClusterSettings,
  address: { readonly host: string; readonly port: number },
  protocol: PeerProtocol
) =>
  Effect.acquireRelease(
    Effect.callback<TLSSocket, PeerUnreachable>((resume) => {
      const socket = connectPeer({ host: address.host, port: address.port, secret: cluster.secret, protocol })
      const onError = (cause: unknown) => resume(Effect.fail(new PeerUnreachable({ cause })))
      socket.once("error", onError)
      socket.once("close", () => onError(new Error("the connection was closed")))
      socket.once("secureConnect", () => {
        socket.off("error", onError)
        // A later failure is reported by the reader; without a listener it would end the process.
        socket.on("error", () => undefined)
        resume(Effect.succeed(socket))
      })
      return Effect.sync(() => socket.destroy())
    }).pipe(
      Effect.timeoutOrElse({
        duration: peerConnectTimeoutMs,
        orElse: () => Effect.fail(new PeerUnreachable({ cause: new Error("no answer in time") }))
      })
    ),
    (socket) => Effect.sync(() => socket.destroy())
  )

export const peer = (cluster: ClusterSettings) =>
  Layer.effect(
    Peer,
    Effect.map(
      Effect.acquireRelease(
        Effect.tryPromise({
          try: () => openPeerPort(cluster),
          catch: (cause) =>
            new BadConfig({
              problems: [
                `CLUSTER_HOST and CLUSTER_PORT can't be used (${(cause as NodeJS.ErrnoException).code ?? String(cause)}): they must be an address of this machine and a free port.`
              ]
            })
        }),
        (port) => Effect.promise(() => port.close())
      ),
      (port) => ({ port, cluster })
    )
  )

export class RunnersSeen extends Context.Service<
  RunnersSeen,
  {
    /** The names of the processes that run, as of the last look at the database, this one included. */
    readonly names: () => ReadonlyArray<string>
    /** Calls `told` when this process stops, before it is no longer among those that run. */
    readonly onStop: (told: () => void) => void
  }
>()("longwave/actors/RunnersSeen") {}

/**
 * A storage of runners that notes which processes it names, whenever it is asked, and that keeps leases it could not renew while they last: one slow
 * answer of the store must not end every actor. It takes leases as soon as their owner has given them back, or has lost them.
 */
export const withRunnersSeen = Layer.effectContext(
  Effect.gen(function* () {
    const storage = yield* RunnerStorage.RunnerStorage
    const clock = yield* Clock.Clock
    const nowMs = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
    let names: ReadonlyArray<string> = []
    let tellStop = (): void => undefined
    let renewedMs = Number.NEGATIVE_INFINITY
    const oneAtATime = Semaphore.makeUnsafe(1)
    const seen = RunnersSeen.of({
      names: () => names,
      onStop: (told) => {
        tellStop = told
      }
    })
    return Context.make(RunnersSeen, seen).pipe(
      Context.add(RunnerStorage.RunnerStorage, {
        ...storage,
        refresh: (address, shards) =>
          Effect.suspend(() => {
            const askedMs = nowMs()
            return storage.refresh(address, shards).pipe(
              // The cluster gives up after `shardLeaseRenewMs`, and ends every actor.
              Effect.timeout(shardLeaseRenewMs - 200),
              Effect.tap(() => Effect.sync(() => void (renewedMs = askedMs))),
              Effect.catchTag("TimeoutError", (cause) => Effect.fail(new ClusterError.PersistenceError({ cause }))),
              Effect.catch((error) =>
                nowMs() - renewedMs < shardLeaseMs - 2 * shardLeaseRenewMs
                  ? Effect.succeed([...shards])
                  : Effect.fail(error)
              )
            )
          }),
        // After each answer the cluster rests for a second, so this waits for the leases that another process gives back one after the other, or that
        // are about to end. The cluster gives up after `shardLeaseRenewMs`, and asks again at once.
        acquire: (address, shards) => {
          const wanted = [...shards]
          return Effect.gen(function* () {
            for (let before = 0; ;) {
              const taken = yield* storage.acquire(address, wanted)
              if (taken.length === wanted.length || (taken.length > 0 && taken.length === before)) return taken
              before = taken.length
              yield* Effect.sleep(shardAskMs)
            }
          })
        },
        unregister: (address) => Effect.andThen(Effect.sync(tellStop), storage.unregister(address)),
        // One after the other: together, the last of many would be given up before their turn.
        release: (address, shard) => oneAtATime.withPermit(storage.release(address, shard)),
        getRunners: Effect.tap(storage.getRunners, (runners) =>
          Effect.sync(() => {
            names = runners.map(([{ address }]) => `${address.host}:${address.port}`)
          })
        )
      })
    )
  })
)
