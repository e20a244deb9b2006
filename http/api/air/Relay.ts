import { Context, type Effect, type Scope, type Stream } from "effect"
import type { Busy } from "../../../schema/Problems.ts"

/** The stream itself as an answer among others: for servers whose sockets can't be taken from them. */
export class Relay extends Context.Service<
  Relay,
  {
    /** A place among the listeners for as long as the scope is open; then the sound, without an end. Who doesn't keep up loses whole frames. */
    readonly join: (address: string) => Effect.Effect<Stream.Stream<Uint8Array>, Busy, Scope.Scope>
  }
>()("longwave/http/api/Relay") {}
