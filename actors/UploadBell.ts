import { Context, Effect, Layer, Queue } from "effect"

/** Calls the worker for recordings in this process; one that is called while it works looks once more. */
export class UploadBell extends Context.Service<UploadBell, {
  readonly ring: Effect.Effect<void>
  readonly heard: Effect.Effect<void>
}>()("longwave/actors/UploadBell") {
  static readonly layer = Layer.effect(UploadBell, Effect.map(Queue.sliding<void>(1), (calls) => UploadBell.of({
    ring: Effect.asVoid(Queue.offer(calls, undefined)),
    heard: Queue.take(calls)
  })))
}
