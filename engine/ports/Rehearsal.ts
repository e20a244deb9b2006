import { Context, type Effect, Schema } from "effect"
import type { SimulationAsk } from "../../schema/operations/Simulation.ts"

export class RehearsalFailed extends Schema.TaggedError<RehearsalFailed>()("RehearsalFailed", {
  detail: Schema.String
}) {}

/** Plays the coming days through, beside the running station. */
export class Rehearsal extends Context.Service<
  Rehearsal,
  {
    /** `progress` is called with the percentage. Interrupted, it ends. */
    readonly run: (
      ask: SimulationAsk,
      progress: (percent: number) => void
    ) => Effect.Effect<{ readonly isKept: boolean; readonly report: string }, RehearsalFailed>
  }
>()("longwave/engine/ports/Rehearsal") {}
