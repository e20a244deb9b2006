import { Effect, FileSystem, Layer, Path, type Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { makePlayout, type Playout } from "../../../actors/air/Playout.ts"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import { ActorTree } from "../../../actors/runtime/Supervision.ts"
import { AsRunKey } from "../../../engine/runtime/AsRunKey.ts"
import { StationConfig } from "../../../engine/runtime/Config.ts"
import type { Air } from "../../../engine/ports/Air.ts"
import { type AirDouble, makeAirDouble } from "./AirDouble.ts"
import type { MemoryStore } from "./MemoryStore.ts"
import type { makeStudioDouble } from "./StudioDouble.ts"

export const noon = Date.UTC(2026, 5, 3, 12, 0, 0)

/** Files that outlive the process and take no real time, so that the test clock is the only one. */
export const filesIn = (files: Map<string, string>) =>
  FileSystem.layerNoop({
    makeDirectory: () => Effect.void,
    exists: (path) => Effect.sync(() => files.has(path)),
    remove: (path) => Effect.sync(() => void files.delete(path)),
    rename: (from, to) =>
      Effect.sync(() => {
        files.set(to, files.get(from) ?? "")
        files.delete(from)
      }),
    stream: (path) => Stream.suspend(() => Stream.succeed(new TextEncoder().encode(files.get(path) ?? ""))),
    readFileString: (path) => Effect.sync(() => files.get(path) ?? ""),
    writeFileString: (path, text, options) =>
      Effect.sync(() => void files.set(path, options?.flag === "a" ? `${files.get(path) ?? ""}${text}` : text))
  })

/** Starts an incarnation of the station on doubles; it runs until its scope closes, as if killed. */
export const startPlayout: <A extends { readonly layer: Layer.Layer<Air> } = AirDouble>(options: {
  readonly store: MemoryStore
  readonly studio: ReturnType<typeof makeStudioDouble>
  readonly airs?: Effect.Effect<A, never, Scope.Scope>
  readonly settings?: Readonly<Record<string, string>>
}) => Effect.Effect<
  { readonly playout: Playout; readonly air: A; readonly bus: EventBus["Service"] },
  never,
  Scope.Scope
> = Effect.fnUntraced(function* ({
  airs = makeAirDouble,
  settings = {},
  store,
  studio
}: {
  readonly store: MemoryStore
  readonly studio: ReturnType<typeof makeStudioDouble>
  readonly airs?: Effect.Effect<{ readonly layer: Layer.Layer<Air> }, never, Scope.Scope>
  readonly settings?: Readonly<Record<string, string>>
}) {
  const air = yield* airs
  const bus = yield* Layer.build(EventBus.layer)
  const services = Layer.mergeAll(
    store.layer,
    studio.layer,
    air.layer,
    Layer.succeedContext(bus),
    ActorTree.layer,
    AsRunKey.ephemeral,
    StationConfig.fromEnvironment({ DATA_DIR: "/var", ...settings }),
    filesIn(store.files),
    Path.layer
  )
  const context = yield* Layer.build(services)
  const playout = yield* Effect.provideContext(makePlayout, context)
  yield* Effect.forkScoped(Effect.provideContext(playout.run, context))
  return { playout, air, bus: yield* Effect.provideContext(EventBus, context) }
}) as never

/** Advances the clock by this much, in steps small enough for every fiber to run. */
export const pass = Effect.fnUntraced(function* (seconds: number, stepSec = 1) {
  for (let at = 0; at < seconds; at += stepSec) {
    yield* TestClock.adjust(stepSec * 1_000)
    // Streams and queues pass values on the event loop, so it has to run.
    yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
  }
})
