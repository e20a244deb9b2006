import { Context, Effect, Layer } from "effect"
import type { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { inServices } from "../../engine/store/sql/fewServices.ts"

/** Services of the station and of its platform. All else is what effect and its cluster look up themselves. */
const isService = (key: string) =>
  /^(longwave\/|~?effect\/(FileSystem|Path|Stdio|Terminal|process\/|http\/|cli\/))/.test(key)

/** The cluster hands every service that it finds on to each actor. This builds a layer of it with only those that it looks up itself. */
export const withoutServices = <A, E, R>(layer: Layer.Layer<A, E, R>): Layer.Layer<A, E, R> =>
  Layer.fromBuild((memoMap, scope) =>
    Effect.updateContext(
      Layer.buildWithMemoMap(layer, memoMap, scope),
      (all: Context.Context<R>) =>
        Context.makeUnsafe(new Map([...all.mapUnsafe].filter(([key]) => !isService(key)))) as Context.Context<R>
    )
  )

/** Effect copies all services after so many additions. An instance and its messages add fewer. */
const addedMax = 64

type Handler = (...given: ReadonlyArray<never>) => object
const handlerIn =
  (all: Context.Context<never>, handle: Handler): Handler =>
  (...given) => {
    const work = handle(...given)
    return Rpc.isWrapper(work)
      ? Rpc.wrap(work)(inServices(all, work.value as Effect.Effect<unknown>))
      : inServices(all, work as Effect.Effect<unknown>)
  }

/**
 * Layer of an actor. Effect copies all services that it finds for each instance that wakes, and again for each of its messages. This layer hides the
 * station's services from it; all instances share one set of them.
 */
export const actorLayer = <
  Type extends string,
  Rpcs extends Rpc.Any,
  Handlers extends Entity.HandlersFrom<Rpcs>,
  RX = never
>(
  entity: Entity.Entity<Type, Rpcs>,
  build: Handlers | Effect.Effect<Handlers, never, RX>,
  settings: Parameters<typeof entity.toLayer>[1]
) => {
  const typed = entity.toLayer(build, settings)
  const layer = Layer.unwrap(
    Effect.map(Effect.context<never>(), (found) => {
      const all = Context.makeUnsafe<never>(found.mapUnsafe, { maxDepth: addedMax })
      const handlers = Effect.map(
        Effect.isEffect(build)
          ? inServices(all, build as unknown as Effect.Effect<Record<string, Handler>>)
          : Effect.succeed(build as unknown as Record<string, Handler>),
        (each) => Object.fromEntries(Object.entries(each).map(([tag, handle]) => [tag, handlerIn(all, handle)]))
      )
      return withoutServices(entity.toLayer(handlers as unknown as Effect.Effect<Handlers>, settings))
    })
  )
  return layer as unknown as typeof typed
}
