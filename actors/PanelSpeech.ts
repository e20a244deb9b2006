import { Context, Effect, Layer, Queue } from "effect"
import type { SessionId } from "../schema/Ids.ts"

/** Calls whoever gives turns their voices, in this process; one that is called while it works looks once more. */
export class PanelSpeech extends Context.Service<PanelSpeech, {
  /** A turn of this session waits for its sound. Lost calls cost nothing but time: it looks by itself as well. */
  readonly ring: (sessionId: SessionId) => Effect.Effect<void>
  readonly heard: Effect.Effect<void>
}>()("longwave/actors/PanelSpeech") {
  static readonly layer = Layer.effect(PanelSpeech, Effect.map(Queue.sliding<void>(1), (calls) => PanelSpeech.of({
    ring: () => Effect.asVoid(Queue.offer(calls, undefined)),
    heard: Queue.take(calls)
  })))
}
