import { Context, type Effect, type Stream } from "effect"
import type { StandbyFigures } from "../../schema/ActorTree.ts"
import type { AirState, AirStep } from "../../schema/air/AirStep.ts"

/**
 * Of several processes one leads, and the others follow: they render the same sound and publish nothing. A chain that follows leads as soon as
 * its process has the air.
 */
export class AirStandby extends Context.Service<
  AirStandby,
  {
    /** Each change of what this chain plays while it leads, with its state after it. */
    readonly steps: Stream.Stream<{ readonly step: AirStep; readonly state: AirState }>
    /** What it plays now, and the first sample that a command would change. */
    readonly state: Effect.Effect<{ readonly state: AirState; readonly atSample: number }>
    /** Whether the chain that began to follow still does. */
    readonly isFollowing: Effect.Effect<boolean>
    /** Whether it had to skip an item that the other process plays, because its sound could not be read here. */
    readonly lacksSound: Effect.Effect<boolean>
    /** How far it is behind, and whether it could take the air without a gap. */
    readonly figures: Effect.Effect<StandbyFigures>
    /** First sample of a chain that begins to follow now. */
    readonly nextSample: Effect.Effect<number>
    /** Begins anew as a follower, with a state from before `nextSample` and the steps after it. */
    readonly begin: (from: { readonly state: AirState; readonly steps: ReadonlyArray<AirStep> }) => Effect.Effect<void>
    /** Applies steps at their samples. False if one came too late, or the chain broke: then it has to begin anew. */
    readonly follow: (steps: ReadonlyArray<AirStep>, state: AirState) => Effect.Effect<boolean>
  }
>()("longwave/engine/ports/AirStandby") {}
