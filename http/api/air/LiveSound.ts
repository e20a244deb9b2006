import { Context, type Effect, type Stream } from "effect"
import type { PlayoutConflict } from "../../../schema/Problems.ts"
import type { LiveEnd, LiveState } from "../../../schema/air/Live.ts"

/** Live sound, past the actors: bytes don't go through a mailbox. */
export class LiveSound extends Context.Service<
  LiveSound,
  {
    readonly receive: <E, R>(
      bytes: Stream.Stream<Uint8Array, E, R>,
      from: { readonly format: "wav" | "mp3"; readonly by: string }
    ) => Effect.Effect<LiveEnd, PlayoutConflict, R>
    readonly state: Effect.Effect<LiveState>
  }
>()("longwave/http/api/LiveSound") {}
