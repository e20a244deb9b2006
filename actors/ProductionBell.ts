import { Context, Effect, Layer, Queue } from "effect"

/** Calls the worker for shows in the making in this process; one that is called while it works looks once more. */
export class ProductionBell extends Context.Service<ProductionBell, {
  readonly ring: Effect.Effect<void>
  readonly heard: Effect.Effect<void>
}>()("longwave/actors/ProductionBell") {
  static readonly layer = Layer.effect(ProductionBell, Effect.map(Queue.sliding<void>(1), (calls) => ProductionBell.of({
    ring: Effect.asVoid(Queue.offer(calls, undefined)),
    heard: Queue.take(calls)
  })))
}
