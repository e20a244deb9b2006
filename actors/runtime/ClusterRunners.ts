import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import { Context, Effect, Exit, Fiber, Layer, Option, Scope, Stream } from "effect"
import {
  ClusterSchema,
  type Entity,
  MachineId,
  Runner,
  RunnerAddress,
  RunnerHealth,
  Runners,
  RunnerServer,
  RunnerStorage,
  Sharding,
  ShardingConfig,
  SqlMessageStorage,
  SqlRunnerStorage
} from "effect/cluster"
import { NetAddress } from "effect/net"
import { RpcClient, RpcSerialization, RpcServer } from "effect/rpc"
import { Socket, SocketServer } from "effect/socket"
import {
  actorStopMs,
  peerHealthMs,
  shardLeaseMs,
  shardLeaseRenewMs,
  shardsLookMs,
  shardsMax
} from "../../engine/rules/runtime/limits.ts"
import type { ClusterSettings } from "../../engine/runtime/Config.ts"
import { AirLease } from "../../engine/store/air/AirLease.ts"
import { ClusterMessages } from "../../engine/store/sql/ClusterMessages.ts"
import type { PeerProtocol } from "../../engine/runtime/PeerPort.ts"
import { AirHandover } from "./AirHandover.ts"
import { withoutServices } from "./actorLayer.ts"
import { AirHolding } from "./AirHolding.ts"
import { connectTo, Peer, peer, RunnersSeen, withRunnersSeen } from "./Peer.ts"
import { PeerNews } from "./PeerNews.ts"

const sharedGroup = "default"
const airGroup = "air"

/** Messages of actors that come from the other processes, over one protocol of the port. */
const incoming = (protocol: PeerProtocol) =>
  Layer.effect(
    SocketServer.SocketServer,
    Effect.map(Peer, ({ port }) =>
      SocketServer.SocketServer.of({
        address: NetAddress.unixPathAddress(protocol),
        run: Effect.fnUntraced(function* <R, E, _>(handler: (socket: Socket.Socket) => Effect.Effect<_, E, R>) {
          const scope = yield* Scope.make()
          const context = Context.omit(Scope.Scope)(yield* Effect.context<R>()) as Context.Context<R>
          const track = Fiber.runIn(scope)
          port.accept(protocol, (socket) => {
            track(
              NodeSocket.fromDuplex(
                Effect.acquireRelease(Effect.succeed(socket), () => Effect.sync(() => void socket.destroySoon()))
              ).pipe(Effect.flatMap(handler), Effect.ignoreCause, Effect.runForkWith(context))
            )
          })
          return yield* Effect.onExit(Effect.never, () => Scope.close(scope, Exit.void))
        })
      })
    )
  )

/** Messages of actors to the other processes. */
const outgoing = (protocol: PeerProtocol) =>
  Layer.effect(
    Runners.RpcClientProtocol,
    Effect.gen(function* () {
      const { cluster } = yield* Peer
      const serialization = yield* RpcSerialization.RpcSerialization
      return {
        codecFor: serialization.codecFor,
        make: Effect.fnUntraced(function* (address: RunnerAddress.RunnerAddress) {
          const socket = yield* NodeSocket.fromDuplex(
            Effect.mapError(
              connectTo(cluster, address, protocol),
              ({ cause }) => new Socket.SocketError({ reason: new Socket.SocketOpenError({ kind: "Unknown", cause }) })
            )
          )
          return yield* RpcClient.makeProtocolSocket().pipe(
            Effect.provideService(Socket.Socket, socket),
            Effect.provideService(RpcSerialization.RpcSerialization, serialization)
          )
        }, Effect.orDie)
      }
    })
  )

const addressOf = ({ host, port }: ClusterSettings) => RunnerAddress.make(host, port)

/** `host:port`, as processes are called in the database. */
const parseAddress = (name: string) => {
  const colon = name.lastIndexOf(":")
  return RunnerAddress.make(name.slice(0, colon), Number(name.slice(colon + 1)))
}

const settings = (cluster: ClusterSettings, group: string, shards: number) =>
  ShardingConfig.layer({
    runnerAddress: Option.some(addressOf(cluster)),
    availableShardGroups: [group],
    assignedShardGroups: [group],
    shardsPerGroup: shards,
    // A lock of a session would outlive its frozen owner.
    shardLockDisableAdvisory: true,
    shardLockExpiration: shardLeaseMs,
    shardLockRefreshInterval: shardLeaseRenewMs,
    refreshAssignmentsInterval: shardsLookMs,
    runnerHealthCheckInterval: peerHealthMs,
    entityMessagePollInterval: "500 millis",
    entityTerminationTimeout: actorStopMs,
    simulateRemoteSerialization: false
  })

/**
 * Places the station actor by the lease of the air, not by locks of shards: the process that holds the lease runs it. It stays there while the store
 * is away.
 */
const airPlacement = Layer.effect(
  RunnerStorage.RunnerStorage,
  Effect.gen(function* () {
    const shared = yield* RunnerStorage.RunnerStorage
    const { cluster } = yield* Peer
    const holding = yield* AirHolding
    const self = addressOf(cluster)
    const keep = <A>(asked: Iterable<A>) =>
      Effect.sync(() => (holding.ownership.holds() && holding.stationOwner() === cluster.name ? [...asked] : []))
    const end = Effect.sync(() => holding.noteStation(false))
    return RunnerStorage.RunnerStorage.of({
      // Another number than in the other sharding of this process: both make ids of messages.
      register: (runner, healthy) =>
        Effect.map(
          shared.register(Runner.make({ address: runner.address, groups: [sharedGroup], weight: 1 }), healthy),
          (id) => MachineId.make(id + 512)
        ),
      unregister: () => Effect.void,
      getRunners: Effect.sync(() => {
        const owner = holding.stationOwner()
        // Runners are compared by address and weight: the owner is one more runner, with the only shard.
        return [
          [Runner.make({ address: self, groups: [], weight: 1 }), true] as const,
          ...(owner === null
            ? []
            : [[Runner.make({ address: parseAddress(owner), groups: [airGroup], weight: 2 }), true] as const])
        ]
      }),
      setRunnerHealth: () => Effect.void,
      acquire: (_, shards) =>
        Effect.tap(keep(shards), ({ length }) => Effect.sync(() => holding.noteStation(length > 0))),
      refresh: (_, shards) => keep(shards),
      // The cluster gives a shard back once its actors have ended.
      release: () => end,
      releaseAll: () => end
    })
  })
)

const serve = (protocol: PeerProtocol) =>
  RunnerServer.layerWithClients.pipe(
    withoutServices,
    Layer.provide(RpcServer.layerProtocolSocketServer),
    Layer.provide([incoming(protocol), outgoing(protocol)])
  )

/** Actors that are where the air is: they command the air chain of their process. */
const isOfAir = (type: string) => type === "Station" || type.startsWith("Station/")

/** One sharding of two: the station actor is where the air is, all others are spread by shards. */
const combine = (
  shared: Sharding.Sharding["Service"],
  air: Sharding.Sharding["Service"]
): Sharding.Sharding["Service"] => {
  const placed = new Map<string, unknown>()
  /** The entity, with its shard in the group of the air. */
  const inAirGroup = <E extends { readonly type: string }>(entity: E): E => {
    const known =
      placed.get(entity.type) ??
      (entity as unknown as Entity.Entity<string, never>).annotate(ClusterSchema.ShardGroup, () => airGroup)
    placed.set(entity.type, known)
    return known as E
  }
  const ofGroup = (group: string | undefined) => (group === airGroup ? air : shared)
  const ofMessage = (message: {
    readonly envelope: { readonly address: { readonly shardId: { readonly group: string } } }
  }) => ofGroup(message.envelope.address.shardId.group)
  return Sharding.Sharding.of({
    getRegistrationEvents: Stream.merge(shared.getRegistrationEvents, air.getRegistrationEvents),
    getShardId: (id, group) => ofGroup(group).getShardId(id, group),
    hasShardId: (id) => ofGroup(id.group).hasShardId(id),
    getSnowflake: shared.getSnowflake,
    isShutdown: shared.isShutdown,
    makeClient: (entity) => (isOfAir(entity.type) ? air.makeClient(inAirGroup(entity)) : shared.makeClient(entity)),
    registerEntity: (entity, handlers, options) =>
      isOfAir(entity.type)
        ? air.registerEntity(inAirGroup(entity), handlers, options)
        : shared.registerEntity(entity, handlers, options),
    registerSingleton: (name, run, options) =>
      isOfAir(name)
        ? air.registerSingleton(name, run, { ...options, shardGroup: airGroup })
        : shared.registerSingleton(name, run, options),
    send: (message) => ofMessage(message).send(message),
    sendOutgoing: (message, discard) => ofMessage(message).sendOutgoing(message, discard),
    notify: (message, options) => ofMessage(message).notify(message, options),
    reset: shared.reset,
    pollStorage: Effect.andThen(shared.pollStorage, air.pollStorage),
    activeEntityCount: Effect.zipWith(shared.activeEntityCount, air.activeEntityCount, (some, others) => some + others)
  })
}

/**
 * Runs the actors in several processes over one database. Each actor runs where its shard's lease is held; a process that dies loses its leases after
 * `shardLeaseMs`. Messages go over connections that only processes with the shared secret can make.
 */
export const clusterRunners = (cluster: ClusterSettings) => {
  const shared = serve("longwave-actors").pipe(
    Layer.provide(
      RunnerHealth.layerPing.pipe(Layer.provide(Runners.layerRpc), Layer.provide(outgoing("longwave-actors")))
    ),
    Layer.provide(settings(cluster, sharedGroup, shardsMax))
  )
  const air = serve("longwave-air").pipe(
    Layer.provide(RunnerHealth.layerNoop),
    Layer.provide(airPlacement),
    Layer.provide(settings(cluster, airGroup, 1))
  )
  const placed = Layer.effect(
    Sharding.Sharding,
    Effect.gen(function* () {
      yield* (yield* ClusterMessages).forgetKeptAlive("Station", sharedGroup)
      const [one, other] = [yield* Layer.build(shared), yield* Layer.build(air)]
      return combine(Context.get(one, Sharding.Sharding), Context.get(other, Sharding.Sharding))
    })
  )
  const handover = Layer.effect(
    AirHandover,
    Effect.gen(function* () {
      const { handOver } = yield* AirHolding
      const runners = yield* RunnersSeen
      // Nobody would go on: listeners hear this process until it has ended.
      const isAlone = () => runners.names().every((name) => name === cluster.name)
      return AirHandover.of({ handOver: Effect.suspend(() => (isAlone() ? Effect.void : handOver)) })
    })
  )
  return PeerNews.pipe(
    Layer.provideMerge(Layer.mergeAll(placed, handover)),
    Layer.provide(ClusterMessages.layer),
    Layer.provide(
      SqlMessageStorage.layer.pipe(
        Layer.provide(settings(cluster, sharedGroup, shardsMax)),
        Layer.provide(NodeCrypto.layerDigest)
      )
    ),
    Layer.provide(
      withRunnersSeen.pipe(
        Layer.provide(Layer.orDie(SqlRunnerStorage.layer)),
        Layer.provide(settings(cluster, sharedGroup, shardsMax))
      )
    ),
    Layer.provide(RpcSerialization.layerSchemaBinary()),
    Layer.provide(AirHolding.layer(cluster).pipe(Layer.provide(AirLease.layer))),
    Layer.provide(peer(cluster))
  )
}
