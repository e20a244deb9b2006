import { Context, type Effect, Schema } from "effect"
import type { MusicProviderState } from "../../schema/music/MusicProvider.ts"
import type { MusicOrder } from "../../schema/music/MusicRequest.ts"
import type { ObjectsUnavailable } from "./ObjectStore.ts"

/** The provider gave no music. `refused`: it doesn't take this order, and never will; otherwise another try may help. */
export class ProviderFailed extends Schema.TaggedError<ProviderFailed>()("ProviderFailed", {
  provider: Schema.String,
  reason: Schema.Literals(["refused", "busy", "timeout", "failed"]),
  detail: Schema.String,
  /** The earliest useful repeat, if the provider names one. */
  retryAfterSec: Schema.optionalKey(Schema.Int)
}) {}

/** A service that makes music, as the operator configured it. */
export interface MusicProvider {
  readonly id: string
  /** Its name for people, with the model. */
  readonly name: string
  readonly maxDurationSec: number
  readonly instrumental: boolean
  readonly lyrics: boolean
}

/** The bytes that a provider gave, in the object store. */
export interface ProviderSound {
  readonly byteSize: number
  readonly contentType: string
}

/** Makes music elsewhere: ACE-Step, MiniMax, or an endpoint like OpenAI's. Each has a deadline, and its result is fetched at once, because its links expire. */
export class MusicProviders extends Context.Service<
  MusicProviders,
  {
    readonly all: ReadonlyArray<MusicProvider>
    /** Their health, for operators. */
    readonly states: Effect.Effect<ReadonlyArray<MusicProviderState>>
    /**
     * Makes one piece and stores its bytes under `key`. `task` is the name of work that was begun before; `onBegun` is told the name of new work, so
     * that another process can go on with it.
     */
    readonly make: <E, R>(ask: {
      readonly order: MusicOrder
      readonly seed: number
      readonly key: string
      readonly task: string | null
      readonly onBegun: (task: string) => Effect.Effect<void, E, R>
    }) => Effect.Effect<ProviderSound, ProviderFailed | ObjectsUnavailable | E, R>
  }
>()("longwave/engine/ports/MusicProviders") {}
