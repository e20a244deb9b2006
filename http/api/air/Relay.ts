import { Context, type Effect, type Scope, type Stream } from "effect"
import type { Busy } from "../../../schema/Problems.ts"

/** The stream as a normal answer, for servers whose sockets can't be taken over. */
export class Relay extends Context.Service<
  Relay,
  {
    /** Holds a listener's place while the scope is open, then sends endless sound. Slow readers lose whole frames. */
    readonly join: (address: string) => Effect.Effect<Stream.Stream<Uint8Array>, Busy, Scope.Scope>
  }
>()("longwave/http/api/Relay") {}
