import { Context, type Effect, type Stream } from "effect"
import type { AirEvent, AirPlan, AirPlanApplied, AirStatus, StagedSound, StalePlan } from "../../schema/air/Air.ts"

/**
 * The way to the air: everything the actors may say to the chain that mixes, encodes and cuts parts.
 * It plays without being told anything (emergency programme), and goes on when nobody talks to it any more.
 */
export class Air extends Context.Service<
  Air,
  {
    /** Replaces all that has not begun. Answers once the mixer works by it. */
    readonly plan: (plan: AirPlan) => Effect.Effect<AirPlanApplied, StalePlan>
    /** The looped library that plays when the plan has a hole; verified before it is accepted. */
    readonly emergencyLibrary: (sounds: ReadonlyArray<StagedSound>) => Effect.Effect<void>
    /** Puts the emergency programme on, or takes it off, at the earliest sample (≤ 500 ms). */
    readonly emergency: (on: boolean, reason: string) => Effect.Effect<void>
    readonly status: Effect.Effect<AirStatus>
    /** Every event since subscription, in order; one that lags more than `airEventsMax` behind loses the oldest. */
    readonly events: Stream.Stream<AirEvent>
  }
>()("longwave/engine/ports/Air") {}
