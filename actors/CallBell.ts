import { Context, Effect, Layer, Queue } from "effect"

/** Calls the worker for listeners' calls in this process; one that is called while it works looks once more. */
export class CallBell extends Context.Service<CallBell, {
  readonly ring: Effect.Effect<void>
  readonly heard: Effect.Effect<void>
}>()("longwave/actors/CallBell") {
  static readonly layer = Layer.effect(CallBell, Effect.map(Queue.sliding<void>(1), (calls) => CallBell.of({
    ring: Effect.asVoid(Queue.offer(calls, undefined)),
    heard: Queue.take(calls)
  })))
}
