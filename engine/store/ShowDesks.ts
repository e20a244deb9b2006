import { Context, Effect, Layer } from "effect"
import type { AgentId } from "../../schema/Ids.ts"

/** Whose desk it is that is a show's: a listener writes to the show, and its host reads it. */
export class ShowDesks extends Context.Service<ShowDesks, {
  /** Null where there is no such show. */
  readonly host: (slug: string) => Effect.Effect<AgentId | null>
}>()("longwave/engine/store/ShowDesks") {
  /** Nothing on this station makes shows yet, so that none has a desk. */
  static readonly layer = Layer.succeed(ShowDesks, ShowDesks.of({ host: () => Effect.succeed(null) }))
}
