import { Context, Effect, Layer, Queue } from "effect"

/** Calls the worker for recordings in this process; one that is called while it works looks once more. */
export class ArchiveBell extends Context.Service<ArchiveBell, {
  readonly ring: Effect.Effect<void>
  readonly heard: Effect.Effect<void>
}>()("longwave/actors/ArchiveBell") {
  static readonly layer = Layer.effect(ArchiveBell, Effect.map(Queue.sliding<void>(1), (calls) => ArchiveBell.of({
    ring: Effect.asVoid(Queue.offer(calls, undefined)),
    heard: Queue.take(calls)
  })))
}
