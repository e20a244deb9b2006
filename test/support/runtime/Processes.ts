import { NodeServices } from "@effect/platform-node"
import { Effect, Exit, Layer, Redacted, Scope } from "effect"
import { ChangeNews } from "../../../actors/runtime/ChangeNews.ts"
import { ActorCluster } from "../../../actors/runtime/Cluster.ts"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import { RestartNews } from "../../../actors/runtime/RestartNews.ts"
import { ActorTree } from "../../../actors/runtime/Supervision.ts"
import { freePort } from "../../../bench/instruments/servers/Station.ts"
import { CurrentAirOwnership, LeasedAir } from "../../../engine/ports/AirOwnership.ts"
import { airLeaseMs } from "../../../engine/rules/air/limits.ts"
import { IdSource } from "../../../engine/runtime/IdSource.ts"
import { Settings } from "../../../engine/store/operations/Settings.ts"
import { Audit } from "../../../engine/store/sql/Audit.ts"
import { ChangeLog, Changes } from "../../../engine/store/sql/Changes.ts"
import { Database } from "../../../engine/store/sql/Database.ts"
import { Jobs } from "../../../engine/store/sql/Jobs.ts"
import { Transaction } from "../../../engine/store/sql/Transaction.ts"
import { Flood } from "../../../http/envelope/Flood.ts"
import { FloodNews } from "../../../http/envelope/FloodNews.ts"
import { TestConfig } from "../agents/OnboardingWorld.ts"

const machinery = Layer.mergeAll(FloodNews, ChangeNews, RestartNews).pipe(
  Layer.provideMerge(Flood.layer),
  Layer.provideMerge(ActorCluster),
  Layer.provideMerge(
    Layer.mergeAll(ActorTree.layer, Audit.layer, EventBus.layer, Jobs.layer, Settings.layer, Transaction.layer)
  ),
  Layer.provideMerge(Database),
  Layer.provideMerge(IdSource.layer),
  Layer.provide(NodeServices.layer)
)

/**
 * One of several processes of a station on this database, without its sound and its interface: a port, a database pool, a bus and a memory of its own.
 * `stop` stops it in order, and so does the end of the scope.
 */
export const enterProcess = Effect.fnUntraced(function* (url: Redacted.Redacted, port?: number) {
  const clusterPort = port ?? (yield* Effect.promise(freePort))
  const scope = yield* Scope.make()
  const stop = Scope.close(scope, Exit.void)
  yield* Effect.addFinalizer(() => stop)
  const context = yield* Layer.buildWithScope(
    Layer.fresh(
      machinery.pipe(
        Layer.provideMerge(
          Layer.mergeAll(
            TestConfig({
              DATABASE_URL: Redacted.value(url),
              CLUSTER_HOST: "127.0.0.1",
              CLUSTER_PORT: String(clusterPort),
              CLUSTER_SECRET: "a secret of the processes of a station"
            }),
            Layer.succeed(Changes, new ChangeLog()),
            Layer.succeed(CurrentAirOwnership, new LeasedAir(airLeaseMs, () => performance.now()))
          )
        )
      )
    ),
    scope
  )
  return {
    port: clusterPort,
    name: `127.0.0.1:${clusterPort}`,
    /** Runs in this process. */
    run: Effect.provideContext(context),
    /** Adds a part to this process. */
    add: <A, E, R>(part: Layer.Layer<A, E, R>) =>
      Layer.buildWithScope(part, scope).pipe(Effect.provideContext(context)),
    stop
  }
})
export type TestProcess = Effect.Success<ReturnType<typeof enterProcess>>
