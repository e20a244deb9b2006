import { Context, Effect, Layer, Queue } from "effect"

/** Calls the gallery's worker of this process; one that is called while it works looks once more. */
export class GalleryBell extends Context.Service<GalleryBell, {
  readonly ring: Effect.Effect<void>
  readonly heard: Effect.Effect<void>
}>()("longwave/actors/GalleryBell") {
  static readonly layer = Layer.effect(GalleryBell, Effect.map(Queue.sliding<void>(1), (calls) => GalleryBell.of({
    ring: Effect.asVoid(Queue.offer(calls, undefined)),
    heard: Queue.take(calls)
  })))
}
